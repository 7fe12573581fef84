import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/json.ts';
import { Kinds } from '../src/kinds.ts';
import { metadataCauses } from '../src/metadata-validation.ts';

function messages(metadata: JsonObject, before?: JsonObject): readonly string[] {
  const kind = new Kinds().find('', 'v1', 'configmaps');
  if (kind === undefined) throw new Error('no configmaps');
  const causes = metadataCauses(kind, { metadata }, before === undefined ? undefined : { metadata: before });
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

describe('metadata', () => {
  it('everything that is wrong is said at once', () => {
    const causes = messages({
      name: 'Bad',
      labels: { 'a b': 'c d' },
      annotations: { 'x y': '1' },
      finalizers: ['bad'],
    });

    expect(causes.map((cause) => cause.split(':', 1).join(''))).toEqual([
      'metadata.name',
      'metadata.labels',
      'metadata.labels',
      'metadata.annotations',
      'metadata.finalizers[0]',
    ]);
  });

  it('a name is required', () => {
    expect(messages({})).toEqual(['metadata.name: Required value: name or generateName is required']);
  });

  it('an owner reference must be complete', () => {
    expect(messages({ name: 'a', ownerReferences: [{ name: 'o' }] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ]);
  });

  it('only one owner can be the controller', () => {
    const ownerReferences = [
      { ...owner, controller: true },
      { ...owner, name: 'p', controller: true },
    ];

    expect(messages({ name: 'a', ownerReferences }).join()).toContain(
      'Only one reference can have Controller set to true. Found "true" in references for ConfigMap/o and ConfigMap/p',
    );
  });

  it('annotations have a limit', () => {
    expect(messages({ name: 'a', annotations: { big: 'x'.repeat(300_000) } })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  });

  it('an object that is being deleted takes no new finalizers', () => {
    const before = { name: 'a', uid: 'u', deletionTimestamp: 'T', finalizers: ['a.b/c'] };

    expect(messages({ ...before, finalizers: ['a.b/c', 'a.b/d'] }, before)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/d"}',
    ]);
  });

  it.each([
    ['uid', 'v'],
    ['deletionTimestamp', 'T'],
  ])('%s cannot be changed', (field, value) => {
    expect(messages({ name: 'a', uid: 'u', [field]: value }, { name: 'a', uid: 'u' })).toEqual([
      `metadata.${field}: Invalid value: "${value}": field is immutable`,
    ]);
  });
});
