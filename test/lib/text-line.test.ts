import { describe, expect, it } from 'vitest';
import { formatTextLine } from '../../src/lib/text-line.ts';

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

    expect(lineOf(new Error('watch broke', { cause: middle }))).toBe(
      '    err: watch broke\n    caused by: no answer: refused\n',
    );
  });

  it('ends when errors cause one another', () => {
    const error = new Error('a');
    error.cause = new Error('b', { cause: error });

    expect(lineOf(error)).toBe('    err: a\n    caused by: b\n');
  });

  it('shows where it was made when asked', () => {
    expect(lineOf(new Error('a', { cause: new Error('b') }), true)).toMatch(
      /^ {4}err: Error: a\n {8}at .*\n {4}caused by: Error: b\n {8}at /s,
    );
  });
});

/** What a line shows of an error below its head. */
function lineOf(err: Error, stacks = false): string {
  const line = formatTextLine({ time, level: 'error', message: 'failed', fields: { err }, colors: false, stacks });
  return line.slice(line.indexOf('\n') + 1);
}
