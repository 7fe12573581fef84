import { describe, expect, it } from 'vitest';
import { asking, sandboxForTest } from './support/sandbox.ts';

const access = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

describe('reviews', () => {
  it('everything is allowed to whom nothing is denied', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };

    expect((await asking(await sandboxForTest())('POST', access, { spec })).body).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      spec,
      status: { allowed: true },
    });
  });

  it('the answer is the one that the request itself would get', async () => {
    const authorize = ({ resource }: { resource: string }): boolean | string => resource !== 'secrets' || 'no secrets';
    const spec = { resourceAttributes: { verb: 'get', resource: 'secrets' } };

    expect((await asking(await sandboxForTest({ authorize }))('POST', access, { spec })).body).toMatchObject({
      status: { allowed: false, reason: 'no secrets' },
    });
  });

  it.each([
    ['/apis/authentication.k8s.io/v1/selfsubjectreviews', { userInfo: { username: 'admin' } }],
    ['/apis/authentication.k8s.io/v1/tokenreviews', { authenticated: true, user: { username: 'admin' } }],
    ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { incomplete: false }],
  ])('%s is answered', async (path, status) => {
    expect(await asking(await sandboxForTest())('POST', path, {})).toMatchObject({ status: 201, body: { status } });
  });
});
