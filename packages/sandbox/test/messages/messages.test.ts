import { expect, it } from 'vitest';
import { builtInKinds } from '../../src/built-in-kinds.ts';
import { fieldsOf, messageNames, messageOfKind } from '../../src/messages/messages.ts';

const SCALARS = new Set(
  'string int32 int64 bool bytes double time microtime duration fields intOrString quantity raw json items empty orBool orArray orStrings'.split(
    ' ',
  ),
);

it('every field is a scalar or a message that is there', () => {
  const fields = messageNames().flatMap((message) => fieldsOf(message) ?? []);

  expect(fields.filter(({ type }) => !SCALARS.has(type) && fieldsOf(type) === undefined)).toEqual([]);
});

it('no message has two fields of one number or one name', () => {
  const wrong = messageNames().filter((message) => {
    const fields = (fieldsOf(message) ?? []).filter(({ name }) => name !== '');
    const numbers = (fieldsOf(message) ?? []).map(({ number }) => number);
    return new Set(fields.map(({ name }) => name)).size < fields.length || new Set(numbers).size < numbers.length;
  });

  expect(wrong).toEqual([]);
});

it('every built-in kind has a message', () => {
  expect(builtInKinds().filter((kind) => messageOfKind(kind) === undefined)).toEqual([]);
});

it('the options of a delete are the same in every group', () => {
  expect(messageOfKind({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })).toBe('meta/v1.DeleteOptions');
  expect(messageOfKind({ group: 'example.com', version: 'v1', kind: 'Widget' })).toBeUndefined();
});
