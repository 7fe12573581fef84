import { describe, expect, it } from 'vitest';
import { apiVersionOf, groupKind, groupResource, hasSubresource } from '../src/kind.ts';
import { Kinds } from '../src/kinds.ts';

const kinds = new Kinds();

describe('the names of a kind', () => {
  it.each([
    ['', 'pods', ['v1', 'pods', 'Pod']],
    ['apps', 'deployments', ['apps/v1', 'deployments.apps', 'Deployment.apps']],
  ])('%s %s', (group, plural, names) => {
    const kind = kinds.find(group, 'v1', plural);

    expect(kind && [apiVersionOf(kind), groupResource(kind), groupKind(kind)]).toEqual(names);
  });

  it('a subresource is one of the kind that names it', () => {
    const [pods, secrets] = [kinds.find('', 'v1', 'pods'), kinds.find('', 'v1', 'secrets')];

    expect(pods && hasSubresource(pods, 'status')).toBe(true);
    expect(secrets && hasSubresource(secrets, 'status')).toBe(false);
  });
});
