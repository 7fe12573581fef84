import { describe, expect, it } from 'vitest';
import { FieldReader } from '../../src/effects/field-reader.ts';
import { readJsonPatch, readObject } from '../../src/effects/payload.ts';

describe('an object in a field', () => {
  it.each([
    { title: 'as it is', f: { a: 1 } },
    { title: 'as JSON', f: '{"a":1}' },
    { title: 'as YAML', f: 'a: 1\n' },
    { title: 'as YAML behind a separator', f: '---\na: 1\n' },
  ])('is read $title', ({ f }) => {
    expect(readObject(new FieldReader({ f }), 'f', 'an object')).toEqual({ a: 1 });
  });

  it.each([
    { f: 'a: 1\n---\nb: 2\n', more: 1 },
    { f: 'a: 1\n---\nb: [\n', more: 1 },
    { f: '{"a":1}{"b":2}{"c":3}', more: 2 },
  ])('is the first document of a string, and the others are named: $f', ({ f, more }) => {
    const reader = new FieldReader({ f });

    expect(readObject(reader, 'f', 'an object')).toEqual({ a: 1 });
    expect(reader.problems).toEqual([]);
    expect(reader.warnings).toEqual([`f: the string holds ${more} more document(s), only the first is used`]);
  });

  it('may be empty in a string, where nothing can be forgotten', () => {
    expect(readObject(new FieldReader({ f: '{}' }), 'f', 'an object')).toEqual({});
    expect(readJsonPatch(new FieldReader({ f: '[]' }), 'f')).toEqual([]);
  });

  it.each([
    { f: undefined, message: 'is missing, expected an object' },
    { f: '', message: 'received "", expected an object' },
    { f: [], message: 'received an array of 0, expected an object' },
    { f: {}, message: 'received an object with 0 key(s), expected an object' },
    { f: '# nothing', message: 'is missing, expected an object' },
    { f: '{"a":', message: expect.stringMatching(/^line 1 of the string cannot be read as JSON: /) },
    { f: 'a: [', message: expect.stringMatching(/^line \d of the string cannot be read as YAML: /) },
  ])('is refused: $f', ({ f, message }) => {
    const reader = new FieldReader({ f });

    expect(readObject(reader, 'f', 'an object')).toBeUndefined();
    expect(reader.problems).toEqual([{ field: 'f', message }]);
  });
});

describe('a JSON Patch in a field', () => {
  it.each([
    { op: 'add', path: '/a/-', value: null },
    { op: 'replace', path: '', value: {} },
    { op: 'test', path: '/a~1b', value: 1 },
    { op: 'remove', path: '/a' },
    { op: 'move', path: '/a', from: '/b' },
    { op: 'copy', path: '/a', from: '/b' },
  ])('is read: $op', (step) => {
    expect(readJsonPatch(new FieldReader({ f: [step] }), 'f')).toEqual([step]);
    expect(readJsonPatch(new FieldReader({ f: JSON.stringify([step]) }), 'f')).toEqual([step]);
  });

  it('names every step that is wrong', () => {
    const reader = new FieldReader({ f: [{ op: 'add', path: '/a' }, 5, { op: 'copy', path: 'a' }, {}] });

    expect(readJsonPatch(reader, 'f')).toBeUndefined();
    expect(reader.problems.map(({ field }) => field)).toEqual([
      'f[0].value',
      'f[1]',
      'f[2].path',
      'f[2].from',
      'f[3].op',
      'f[3].path',
    ]);
  });
});
