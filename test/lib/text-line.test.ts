import { describe, expect, it } from 'vitest';
import { errorText, formatTextLine } from '../../src/lib/text-line.ts';

const time = new Date(2026, 0, 2, 3, 4, 5, 6);

describe('a line for people', () => {
  it.each([
    { title: 'nothing', fields: {}, shown: '' },
    { title: 'a word', fields: { a: 'b' }, shown: '  a=b' },
    { title: 'an empty string', fields: { a: '' }, shown: '  a=""' },
    { title: 'words', fields: { a: 'b c' }, shown: '  a="b c"' },
    { title: 'quotes', fields: { a: 'b"c' }, shown: '  a="b\\"c"' },
    { title: 'numbers and claims', fields: { a: 1.5, b: true, c: null }, shown: '  a=1.5 b=true c=null' },
    { title: 'objects', fields: { a: { b: ['c d'] } }, shown: '  a={"b":["c d"]}' },
    { title: 'nothing for what is not there', fields: { a: undefined }, shown: '' },
    { title: 'what cannot be JSON', fields: { a: { big: 1n } }, shown: '  a={ big: 1n }' },
    { title: 'an error', fields: { err: new Error('not found') }, shown: '  err="not found"' },
    { title: 'a list of texts', fields: { a: ['b c', 'd'], e: 1 }, shown: '  e=1\n    b c\n    d' },
    { title: 'a list of words with its name', fields: { a: ['b', 'c-d'], e: 1 }, shown: '  a=["b","c-d"] e=1' },
    { title: 'an empty list', fields: { a: [] }, shown: '  a=[]' },
    { title: 'a list of numbers', fields: { a: [1, 2] }, shown: '  a=[1,2]' },
    { title: 'several lines', fields: { a: 'b\nc', d: 1 }, shown: '  d=1\n    a: b\n    c' },
  ])('shows $title', ({ fields, shown }) => {
    const line = formatTextLine({ time, level: 'debug', message: 'said', fields, colors: false, stacks: false });

    expect(line).toBe(`03:04:05.006 DEBUG said${shown}\n`);
  });
});

describe('the text of an error', () => {
  it('names causes that the message does not', () => {
    const root = new Error('refused');
    const middle = new Error('no answer: refused', { cause: root });

    expect(errorText(new Error('watch broke', { cause: middle }), false)).toBe(
      'watch broke\ncaused by: no answer: refused',
    );
  });

  it('ends when errors cause one another', () => {
    const error = new Error('a');
    error.cause = new Error('b', { cause: error });

    expect(errorText(error, false)).toBe('a\ncaused by: b');
  });

  it('shows where it was made when asked', () => {
    expect(errorText(new Error('a', { cause: new Error('b') }), true)).toMatch(
      /^Error: a\n {4}at .*\ncaused by: Error: b\n/s,
    );
  });
});
