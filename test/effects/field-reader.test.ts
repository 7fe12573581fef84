import { describe, expect, it } from 'vitest';
import { FieldReader, received } from '../../src/effects/field-reader.ts';

describe('a field', () => {
  it.each([
    { title: 'as it is called', document: { name: 'a' }, value: 'a' },
    { title: 'in other letters', document: { NAME: 'a' }, value: 'a' },
    { title: 'rather as it is called', document: { NAME: 'b', name: 'a' }, value: 'a' },
    { title: 'not there', document: {}, value: undefined },
    { title: 'empty', document: { name: '' }, value: undefined },
    { title: 'null', document: { name: null }, value: undefined },
  ])('is found $title', ({ document, value }) => {
    const reader = new FieldReader(document);

    expect(reader.text('name')).toBe(value);
    expect(reader.problems).toEqual([]);
  });

  it.each([
    { read: (reader: FieldReader) => reader.text('f'), value: 5, message: 'received 5, expected a string' },
    {
      read: (reader: FieldReader) => reader.flag('f'),
      value: 'true',
      message: 'received "true", expected true or false',
    },
    { read: (reader: FieldReader) => reader.number('f'), value: '5', message: 'received "5", expected a number' },
    {
      read: (reader: FieldReader) => reader.requiredText('f', 'a name'),
      value: {},
      message: 'received an object with 0 key(s), expected a string',
    },
    {
      read: (reader: FieldReader) => reader.requiredText('f', 'a name'),
      value: undefined,
      message: 'is missing, expected a name',
    },
  ])('of the wrong kind is one problem: $message', ({ read, value, message }) => {
    const reader = new FieldReader({ f: value });

    read(reader);

    expect(reader.problems).toEqual([{ field: 'f', message }]);
  });

  it('nobody knows is found in any letters', () => {
    expect(new FieldReader({ Name: 1, other: 2 }).unknownKeys(['name'])).toEqual(['other']);
  });
});

describe('a value that was received', () => {
  it.each([
    { value: 'x'.repeat(100), text: `"${'x'.repeat(60)}…"` },
    { value: 'a\nb', text: '"a\\nb"' },
    { value: [1, 2], text: 'an array of 2' },
    { value: { a: 1 }, text: 'an object with 1 key(s)' },
    { value: null, text: 'null' },
    { value: true, text: 'true' },
  ])('is shown as $text', ({ value, text }) => {
    expect(received(value)).toBe(text);
  });
});

it('keys without meaning are told with their first 60 characters, 20 of them', () => {
  const keys = Array.from({ length: 50 }, (_, at) => `${String(at).padStart(2, '0')}${'k'.repeat(1_000_000)}`);
  const unknown = new FieldReader(Object.fromEntries(keys.map((key) => [key, 1]))).unknownKeys([]);

  expect(unknown).toHaveLength(21);
  expect(unknown.at(-1)).toBe('30 more field(s)');
  expect(Math.max(...unknown.map(({ length }) => length))).toBe(61);
});
