import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../src/built-in-kinds.ts';
import { apiVersionOf } from '../src/kind.ts';

const kinds = builtInKinds();

describe('the built-in kinds', () => {
  it.each([
    { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true, shortNames: ['po'], categories: ['all'] },
    { apiVersion: 'v1', kind: 'Node', plural: 'nodes', namespaced: false, shortNames: ['no'], categories: [] },
    { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', namespaced: true, shortNames: ['deploy'] },
    { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', plural: 'networkpolicies', shortNames: ['netpol'] },
    { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', shortNames: ['crd', 'crds'] },
  ])('$apiVersion $kind', ({ apiVersion, kind, ...facts }) => {
    expect(kinds.find((served) => served.kind === kind && apiVersionOf(served) === apiVersion)).toMatchObject({
      ...facts,
      singular: kind.toLowerCase(),
      listKind: `${kind}List`,
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
