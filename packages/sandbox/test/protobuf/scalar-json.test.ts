import { describe, expect, it } from 'vitest';
import { scalarJson, zeroOf } from '../../src/protobuf/scalar-json.ts';
import { bytesField, messageBytes } from '../../src/protobuf/writer.ts';

const number = (field: number, value: number): Buffer => Buffer.from([field * 8, value]);
const long = (value: bigint): Buffer => {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([0x08, ...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
};
const message = (...fields: readonly (Buffer | undefined)[]): Buffer => messageBytes(fields);
const schema = message(bytesField(5, 'string'));
const read = { bytes: schema.length };

describe('the JSON of', () => {
  it.each([
    ['string', Buffer.from('a'), 'a'],
    ['bytes', Buffer.from('a'), 'YQ=='],
    ['quantity', message(bytesField(1, '5m')), '5m'],
    ['time', long(1_735_689_600n), '2025-01-01T00:00:00Z'],
    ['time', message(), null],
    [
      'microtime',
      Buffer.concat([long(1_735_689_600n), Buffer.from([0x10, 0xb8, 0x17])]),
      '2025-01-01T00:00:00.000003Z',
    ],
    ['duration', long(90_000_000_000n), '1m30s'],
    ['duration', long(3_600_000_000_000n), '1h0m0s'],
    ['duration', long(1_500_000_000n), '1.5s'],
    ['intOrString', message(number(1, 0), number(2, 7)), 7],
    ['intOrString', message(number(1, 1), bytesField(3, '7%')), '7%'],
    ['raw', message(bytesField(1, '{"a":1}')), { a: 1 }],
    ['json', message(), null],
    ['empty', message(), {}],
    ['items', message(bytesField(1, 'a'), bytesField(1, 'b')), ['a', 'b']],
    ['orBool', message(number(1, 1)), true],
    ['orBool', message(number(1, 1), bytesField(2, schema)), read],
    ['orArray', message(bytesField(2, schema), bytesField(2, schema)), [read, read]],
    ['orStrings', message(bytesField(2, 'a')), ['a']],
  ])('a %s %#', (type, bytes, json) => {
    const field = { number: 1, type: 'bytes', bytes } as const;

    expect(scalarJson(type, field, (inner) => ({ bytes: inner.length }))).toEqual(json);
  });

  it.each([
    ['bool', 1n, true],
    ['int32', 5n, 5],
  ])('a number that is a %s', (type, value, json) => {
    expect(scalarJson(type, { number: 1, type: 'number', value, double: 0 }, () => ({}))).toBe(json);
  });

  it('a double', () => {
    expect(scalarJson('double', { number: 1, type: 'number', value: 0n, double: 1.5 }, () => ({}))).toBe(1.5);
  });

  it('a type that is not known is refused', () => {
    const bytes = Buffer.alloc(0);

    expect(() => scalarJson('odd', { number: 1, type: 'bytes', bytes }, () => ({}))).toThrow('no way to read a odd');
  });
});

it.each([
  ['string', ''],
  ['bool', false],
  ['int64', 0],
  ['time', null],
  ['quantity', undefined],
])('an empty %s is %j', (type, zero) => {
  expect(zeroOf(type)).toBe(zero);
});
