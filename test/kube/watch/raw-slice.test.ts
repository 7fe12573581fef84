import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sliceOfText } from '../../../src/lib/slice-hash.ts';
import { rawFrameObject, rawSlice } from '../../../src/kube/watch/raw-slice.ts';
import type { SliceField } from '../../../src/kube/watch/slice.ts';

const FIELDS = ['namespace', 'uid'] as const;

const rawOf = (json: string, field: SliceField = 'namespace'): number | undefined =>
  rawSlice(Buffer.from(json), 0, { hash: 'fnv1a', field });

function parsedSlice(value: unknown, field: SliceField): number {
  const { metadata } = value as { readonly metadata?: Readonly<Record<string, unknown>> };
  const text = metadata?.[field];
  return sliceOfText('fnv1a', typeof text === 'string' ? text : '');
}

const KEY = fc.oneof(
  fc.constantFrom('metadata', 'namespace', 'uid', 'object', 'type', 'spec', 'Metadata', 'meta"data', '\\', '{', ''),
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z]{1,5}$/) },
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const TEXT = fc.oneof(
  fc.constantFrom('default', 'ADDED', '"', '\\', '\\"}', '{"metadata":{"namespace":"fake"}}', '\n', '\u0000', 'ü'),
  { weight: 4, arbitrary: fc.uuid() },
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const { value: VALUE } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    TEXT,
    fc.constantFrom(null, true, 0, -1.5e300),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(KEY, tie('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

/** An object with metadata somewhere among its members, and the fields somewhere in there. */
const OBJECT = fc
  .record({
    before: fc.dictionary(KEY, VALUE, { maxKeys: 4 }),
    metadata: fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.dictionary(KEY, VALUE, { maxKeys: 4 }), TEXT, TEXT) },
      VALUE.map((value) => value),
    ),
    after: fc.dictionary(KEY, VALUE, { maxKeys: 4 }),
  })
  .map(({ before, metadata, after }) => {
    const value = Array.isArray(metadata)
      ? { ...(metadata[0] as object), namespace: metadata[1], uid: metadata[2] }
      : metadata;
    return { ...before, metadata: value, ...withoutMetadata(after) };
  });

function withoutMetadata(members: Record<string, unknown>): Record<string, unknown> {
  const { metadata: _metadata, ...rest } = members;
  return rest;
}

describe('the slice in raw JSON', () => {
  it('is that of the parsed object, or uncertain, for any JSON in any layout', () => {
    let certain = 0;
    fc.assert(
      fc.property(OBJECT, fc.constantFrom<string | number>('', 1, '\t', '\r\n '), (object, indent) => {
        const json = JSON.stringify(object, undefined, indent);
        for (const field of FIELDS) {
          const slice = rawOf(json, field);
          if (slice === undefined) continue;
          certain++;
          expect(slice).toBe(parsedSlice(JSON.parse(json), field));
        }
      }),
      { numRuns: 3000 },
    );
    expect(certain).toBeGreaterThan(1000);
  });

  it('is an answer or none, without an error, for bytes that are cut or changed anywhere', () => {
    const json = Buffer.from(
      JSON.stringify({ kind: 'A', metadata: { labels: { a: '\\"' }, namespace: 'default', uid: 'u' }, spec: [{}] }),
    );
    fc.assert(
      fc.property(fc.nat(json.length), fc.nat(json.length - 1), fc.nat(255), (end, at, byte) => {
        const changed = Buffer.from(json.subarray(0, end));
        if (at < end) changed[at] = byte;
        for (const field of FIELDS) rawSlice(changed, 0, { hash: 'fnv1a', field });
        rawFrameObject(changed);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['{"metadata":{"name":"a","namespace":"default"}}', 'default'],
    ['{ "spec" : {"metadata":{"namespace":"no"}} , "metadata" : { "namespace" : "default" } } ', 'default'],
    ['{"a":"{\\"metadata\\":{\\"namespace\\":\\"no\\"}}","metadata":{"namespace":"default"}}', 'default'],
    ['{"metadata":{"managedFields":[{"namespace":"no"}],"x":{"namespace":"no"},"namespace":"default"}}', 'default'],
    ['{"metadata":{"name":"a"}}', ''],
    ['{"metadata":{}}', ''],
  ])('of %s is that of %j', (json, namespace) => {
    expect(rawOf(json)).toBe(sliceOfText('fnv1a', namespace));
  });

  it.each([
    '{"metadata":{"namespace":"d\\u0065fault"}}',
    '{"metadata":{"namespac\\u0065":"default"}}',
    '{"metad\\u0061ta":{"namespace":"default"}}',
    '{"metadata":{"namespace":"dé"}}',
    '{"metadata":{"namespace":null}}',
    '{"metadata":null}',
    '{"metadata":[{"namespace":"default"}]}',
    '{"spec":{}}',
    '{"metadata":{"name":"a"',
    '[{"metadata":{"namespace":"default"}}]',
    '',
  ])('of %s is not certain', (json) => {
    expect(rawOf(json)).toBeUndefined();
  });

  it('ends at the field: what comes behind it is not read', () => {
    expect(rawOf('{"metadata":{"uid":"x","namespace":"default",broken')).toBe(sliceOfText('fnv1a', 'default'));
  });
});

describe('the object of a raw watch line', () => {
  it.each(['ADDED', 'MODIFIED', 'DELETED'])('starts at its brace in a line %s, in any order', (type) => {
    const object = { metadata: { namespace: 'default' } };
    for (const frame of [
      { type, object },
      { object, type },
    ]) {
      const line = JSON.stringify(frame);
      expect(rawFrameObject(Buffer.from(line))).toBe(line.indexOf('{"metadata"'));
    }
  });

  it.each(['BOOKMARK', 'ERROR', 'ADDE', 'ADDEDD', '', 'AD\\u0044ED'])('is not found in a line %s', (type) => {
    expect(rawFrameObject(Buffer.from(`{"type":"${type}","object":{"metadata":{}}}`))).toBeUndefined();
  });
});
