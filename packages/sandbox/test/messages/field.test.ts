import { describe, expect, it } from 'vitest';
import { readField } from '../../src/messages/field.ts';

const plain = {
  required: false,
  omitted: true,
  pointer: false,
  shape: 'one',
  type: 'string',
  patchStrategy: '',
  patchMergeKey: '',
};

describe('a field of a message', () => {
  it.each([
    ['a=1', { ...plain, name: 'a', number: 1 }],
    ['a=2!', { ...plain, name: 'a', number: 2, required: true, omitted: false }],
    ['a=2&', { ...plain, name: 'a', number: 2, required: true }],
    ['a=3+int32', { ...plain, name: 'a', number: 3, omitted: false, type: 'int32' }],
    ['a=4?bool', { ...plain, name: 'a', number: 4, omitted: false, pointer: true, type: 'bool' }],
    ['a=5*Container', { ...plain, name: 'a', number: 5, shape: 'list', type: 'core/v1.Container' }],
    ['a=6%quantity', { ...plain, name: 'a', number: 6, shape: 'map', type: 'quantity' }],
    ['=7meta/v1.ObjectMeta', { ...plain, name: '', number: 7, type: 'meta/v1.ObjectMeta' }],
    [
      'a=8*~merge,retainKeys:name',
      { ...plain, name: 'a', number: 8, shape: 'list', patchStrategy: 'merge,retainKeys', patchMergeKey: 'name' },
    ],
  ])('%s', (text, field) => {
    expect(readField(text, 'core/v1')).toEqual(field);
  });

  it('is nothing else', () => {
    expect(() => readField('a', 'core/v1')).toThrow('"a" of core/v1 is no field');
  });
});
