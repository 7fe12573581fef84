import { describe, expect, it } from 'vitest';
import { withKnownFields } from '../../src/sandbox/built-in-fields.ts';
import type { ServedKind } from '../../src/sandbox/kind.ts';
import { Kinds } from '../../src/sandbox/kinds.ts';

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
    ['events', { metadata: {}, anything: 1 }],
  ])('%s keep theirs', (collection, object) => {
    expect(withKnownFields(kindOf(collection), { ...object, bogus: 1 }, false)).toMatchObject(object);
  });

  it('others are dropped, or refused where that is asked for', () => {
    expect(withKnownFields(kindOf('configmaps'), { metadata: {}, bogus: 1 }, false)).toEqual({ metadata: {} });
    expect(() => withKnownFields(kindOf('configmaps'), { metadata: {}, bogus: 1 }, true)).toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus"',
    );
  });
});
