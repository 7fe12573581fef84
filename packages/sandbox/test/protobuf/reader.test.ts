import { describe, expect, it } from 'vitest';
import { wireFields } from '../../src/protobuf/reader.ts';

function read(...bytes: readonly number[]): unknown[] {
  return [...wireFields(Buffer.from(bytes))];
}

describe('the fields of a message', () => {
  it.each([
    ['a varint', [0x08, 0x96, 0x01], { number: 1, type: 'number', value: 150n, double: 0 }],
    ['a negative varint', [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], { value: -1n }],
    ['eight bytes', [0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f], { number: 1, double: 1.5 }],
    ['four bytes', [0x0d, 0x00, 0x00, 0xc0, 0x3f], { number: 1, double: 1.5 }],
    ['bytes', [0x12, 1, 0x61], { number: 2, type: 'bytes', bytes: Buffer.from('a') }],
  ])('are %s', (_, bytes, field) => {
    expect(read(...bytes)).toEqual([expect.objectContaining(field)]);
  });

  it.each([
    ['end too early', [0x12, 5, 0x61], 'unexpected EOF'],
    ['end in a number', [0x08, 0x80], 'unexpected EOF'],
    ['have a number that never ends', [0x08, ...Array<number>(11).fill(0x80)], 'integer overflow'],
    ['are of an unknown type', [0x0b], 'illegal wireType 3'],
  ])('are refused where they %s', (_, bytes, problem) => {
    expect(() => read(...bytes)).toThrow(problem);
  });
});
