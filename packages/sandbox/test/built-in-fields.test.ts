import { describe, expect, it } from 'vitest';
import { withKnownFields } from '../src/built-in-fields.ts';
import type { ServedKind } from '../src/kind.ts';
import { Kinds } from '../src/kinds.ts';

function kindOf(collection: string): ServedKind {
  const kind = new Kinds().ofCollection(collection);
  if (kind === undefined) throw new Error(`no ${collection}`);
  return kind;
}

describe('the fields of a built-in kind', () => {
  it.each([
    ['configmaps', { metadata: {}, data: {} }],
    ['secrets', { metadata: {}, stringData: {}, type: 'Opaque' }],
    ['pods', { metadata: {}, spec: {}, status: {} }],
    ['clusterroles.rbac.authorization.k8s.io', { metadata: {}, rules: null }],
    ['events', { metadata: {}, message: 'm' }],
    ['pods', { spec: { containers: [{ name: 'a', env: [{ name: 'A', value: '1' }] }], volumes: [{ emptyDir: {} }] } }],
    ['roles.rbac.authorization.k8s.io', { metadata: { annotations: { 'any.name': 'x' } } }],
  ])('%s keep theirs', (collection, object) => {
    expect(withKnownFields(kindOf(collection), { ...object, bogus: 1 }, false)).toMatchObject(object);
  });

  it('others are found at any depth', () => {
    const kind = kindOf('deployments.apps');
    const containers = [{ name: 'a' }, { name: 'b', imagePolicy: 'x' }];
    const deployment = { metadata: { label: {} }, spec: { replica: 1, template: { spec: { containers } } } };

    expect(withKnownFields(kind, deployment, false)).toEqual({
      metadata: {},
      spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'b' }] } } },
    });
    expect(() => withKnownFields(kind, deployment, true)).toThrow(
      'unknown field "metadata.label", unknown field "spec.replica", unknown field "spec.template.spec.containers[1].imagePolicy"',
    );
  });

  it('others are dropped, or refused where that is asked for', () => {
    expect(withKnownFields(kindOf('configmaps'), { metadata: {}, bogus: 1 }, false)).toEqual({ metadata: {} });
    expect(() => withKnownFields(kindOf('configmaps'), { metadata: {}, bogus: 1 }, true)).toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus"',
    );
  });
});
