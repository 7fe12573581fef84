import { describe, expect, it } from 'vitest';
import { configMapCauses, requireDecodableData, secretCauses } from '../src/data-validation.ts';
import { Kinds } from '../src/kinds.ts';
import type { Cause } from '../src/status-error.ts';

function texts(causes: readonly Cause[]): readonly string[] {
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

const frozen = 'Forbidden: field is immutable when `immutable` is set';

describe('data', () => {
  it('keys are file names', () => {
    expect(texts(configMapCauses({ data: { 'a b': '1', 'a.b_c-D': '2' } }, undefined)).join()).toMatch(
      /^data\[a b\]: Invalid value: "a b": a valid config key must consist of/,
    );
  });

  it('has a limit', () => {
    expect(texts(configMapCauses({ data: { a: 'x'.repeat(1_100_000) } }, undefined))).toEqual([
      '[]: Too long: may not be more than 1048576 bytes',
    ]);
  });

  it('once immutable stays so, and the data with it', () => {
    const before = { immutable: true, data: { a: '1' } };

    expect(texts(configMapCauses({ immutable: true, data: { a: '2' } }, before))).toEqual([`data: ${frozen}`]);
    expect(texts(configMapCauses({ data: { a: '1' } }, before))).toEqual([`immutable: ${frozen}`]);
    expect(texts(configMapCauses({ ...before, metadata: { labels: {} } }, before))).toEqual([]);
  });

  it('the type of a Secret stays, and asks for keys', () => {
    expect(texts(secretCauses({ type: 'foo' }, { type: 'Opaque' }))).toEqual([
      'type: Invalid value: "foo": field is immutable',
    ]);
    expect(texts(secretCauses({ type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }, undefined))).toEqual([
      'data[tls.key]: Required value',
    ]);
  });

  it.each([
    [
      'configmaps',
      { data: { a: 1 } },
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'configmaps',
      { data: { a: true } },
      'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
    ],
    ['secrets', { data: { a: '!!' } }, 'illegal base64 data at input byte 0'],
  ])('%s with %j cannot be decoded', (collection, object, message) => {
    const kind = new Kinds().ofCollection(collection);

    expect(() => kind && requireDecodableData(kind, object)).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining(message) }),
    );
  });
});
