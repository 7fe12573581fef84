import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/sandbox/built-in-kinds.ts';
import { apiVersionOf } from '../../src/sandbox/kind.ts';

const kinds = builtInKinds();

describe('the built-in kinds', () => {
  it.each([
    ['v1', 'Pod', 'pods', true, ['po'], ['all']],
    ['v1', 'Node', 'nodes', false, ['no'], []],
    ['apps/v1', 'Deployment', 'deployments', true, ['deploy'], ['all']],
    ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', true, ['netpol'], []],
    [
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      'customresourcedefinitions',
      false,
      ['crd', 'crds'],
      ['api-extensions'],
    ],
  ])('%s %s is %s', (apiVersion, name, plural, namespaced, shortNames, categories) => {
    expect(kinds.find((kind) => kind.kind === name && apiVersionOf(kind) === apiVersion)).toMatchObject({
      plural,
      namespaced,
      shortNames,
      categories,
      singular: name.toLowerCase(),
      listKind: `${name}List`,
    });
  });

  it('no path is served twice', () => {
    const paths = kinds.map((kind) => `${apiVersionOf(kind)}/${kind.plural}`);

    expect(new Set(paths).size).toBe(paths.length);
  });

  it('namespaces cannot be deleted as a collection, and reviews can only be created', () => {
    expect(kinds.find(({ plural }) => plural === 'namespaces')?.verbs).not.toContain('deletecollection');
    expect(kinds.find(({ plural }) => plural === 'tokenreviews')?.verbs).toEqual(['create']);
  });

  it('events are kept once for both of their groups', () => {
    expect(kinds.filter(({ kind }) => kind === 'Event').map(({ collection }) => collection)).toEqual([
      'events',
      'events',
    ]);
  });
});
