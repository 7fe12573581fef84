import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readItem, scanList } from '../../../src/kube/watch/object-list.ts';

const TYPE = { apiVersion: 'v1', kind: 'Pod' };
const bytes = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const texts = (json: Uint8Array): string[] =>
  scanList(json).items.map(({ start, end }) => Buffer.from(json.subarray(start, end)).toString());

describe('scanList', () => {
  it('finds position, continue token and items', () => {
    const json = bytes({
      kind: 'PodList',
      metadata: { resourceVersion: '7', continue: 'next' },
      items: [{ a: 1 }, { b: [2] }],
    });

    expect(scanList(json)).toMatchObject({ resourceVersion: '7', continueToken: 'next' });
    expect(texts(json)).toEqual(['{"a":1}', '{"b":[2]}']);
  });

  it.each<[string, readonly string[]]>([
    ['{"items":null,"metadata":{}}', []],
    ['{"items":[]}', []],
    ['{}', []],
    [' {\n "items" : [ {"a" : "}"} ,\n {"b":"\\"]"} ] , "kind" : "PodList" } \n', ['{"a" : "}"}', '{"b":"\\"]"}']],
    ['{"items":[{"a":"\\\\"},{"b":"\\u007d"}]}', ['{"a":"\\\\"}', '{"b":"\\u007d"}']],
    ['{"metadata":{"items":[{"no":1}]},"items":[{"yes":1}],"n":-1.5e3,"t":true}', ['{"yes":1}']],
    ['{"items":[{"emoji":"😀{"}]}', ['{"emoji":"😀{"}']],
  ])('cuts %s', (json, items) => {
    expect(texts(bytes(json))).toEqual(items);
  });

  it.each([
    '',
    '[]',
    '{"items":[{"a":1}',
    '{"items":[{"a',
    '{"items":[{}',
    '{"items" [',
    '{"items":}',
    '{"metadata":{"resourceVersion":"1"}',
  ])('refuses %j, which is cut off or broken', (json) => {
    expect(() => scanList(bytes(json))).toThrow(/the API server sent/);
  });

  it('refuses a Table, which has rows where a list has items (point 4)', () => {
    expect(() => scanList(bytes({ kind: 'Table', rows: [] }))).toThrow(/Table/);
  });

  it('cuts any JSON as JSON.parse reads it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())),
        fc.constantFrom(0, 1),
        (items, indent) => {
          const json = bytes(JSON.stringify({ kind: 'List', metadata: {}, items }, undefined, indent));

          expect(texts(json).map((text): unknown => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(items)));
        },
      ),
    );
  });
});

describe('readItem', () => {
  const read = (item: unknown) => {
    const json = bytes({ items: [item] });
    const [range] = scanList(json).items;
    if (range === undefined) throw new Error('no item');
    return readItem(json, range, TYPE);
  };

  it('gives the item of a typed list its kind and apiVersion, in value and text alike', () => {
    const object = read({ metadata: { name: 'ä' } });

    expect(Buffer.from(object.json()).toString()).toBe('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"ä"}}');
    expect(JSON.stringify(object.value)).toBe('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"ä"}}');
  });

  it('leaves an item that names its type as it came', () => {
    const item = { apiVersion: 'x/v1', kind: 'Custom', metadata: { name: 'a' } };

    expect(Buffer.from(read(item).json()).toString()).toBe(JSON.stringify(item));
  });

  it('copies the text, so that a kept object does not keep the page', () => {
    expect(read({ metadata: { name: 'a' } }).json().buffer.byteLength).toBeLessThan(70);
  });
});
