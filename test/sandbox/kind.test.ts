import { describe, expect, it } from 'vitest';
import { apiVersionOf, groupKind, groupResource, hasSubresource } from '../../src/sandbox/kind.ts';
import { Kinds } from '../../src/sandbox/kinds.ts';

const kinds = new Kinds();

describe('the names of a kind', () => {
  it.each([
    ['', 'v1', 'pods', 'v1', 'pods', 'Pod'],
    ['apps', 'v1', 'deployments', 'apps/v1', 'deployments.apps', 'Deployment.apps'],
  ])('%s %s %s', (group, version, plural, apiVersion, resource, kindName) => {
    const kind = kinds.find(group, version, plural);

    expect(kind && [apiVersionOf(kind), groupResource(kind), groupKind(kind)]).toEqual([
      apiVersion,
      resource,
      kindName,
    ]);
  });

  it('a subresource is one of the kind that names it', () => {
    const [pods, secrets] = [kinds.find('', 'v1', 'pods'), kinds.find('', 'v1', 'secrets')];

    expect(pods && hasSubresource(pods, 'status')).toBe(true);
    expect(secrets && hasSubresource(secrets, 'status')).toBe(false);
  });
});
