import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocuments, readJsonStream } from '../../src/effects/documents.ts';

const separator = fc.constantFrom('', ' ', '\n', '\r\n', '\n\n');
const nested = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));

describe('a stream of JSON', () => {
  it('gives back every document, whatever stands between them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(nested, fc.boolean(), separator)), (parts) => {
        const text = parts
          .map(([value, isPretty, gap]) => JSON.stringify(value, null, isPretty ? 2 : 0) + gap)
          .join('');

        const { documents, problems } = readJsonStream(text);

        expect(problems).toEqual([]);
        expect(documents.map(({ value }) => JSON.stringify(value))).toEqual(
          parts.map(([value]) => JSON.stringify(value)),
        );
      }),
    );
  });

  it('knows where each document starts', () => {
    const { documents } = readJsonStream('\n{"a":\n1}{"b":1}\n\n[\n]\n5 "x"');

    expect(documents.map(({ number, line }) => [number, line])).toEqual([
      [1, 2],
      [2, 3],
      [3, 5],
      [4, 7],
      [5, 7],
    ]);
  });

  it.each([
    { title: 'an end too early', text: '{"a":1}\n{"b":', at: [2, 2] },
    { title: 'a string without end', text: '{"a":1}\n{"b":"}', at: [2, 2] },
    { title: 'a bracket of another kind', text: '{"a":1]\n', at: [1, 1] },
    { title: 'a bracket too many', text: '{"a":1}}', at: [2, 1] },
    { title: 'a word', text: '{"a":1}\noops {"b":1}', at: [2, 2] },
  ])('names the document that is broken: $title', ({ text, at }) => {
    const { problems } = readJsonStream(text);

    expect(problems.map(({ number, line }) => [number, line])).toEqual([at]);
    expect(problems[0]?.message).toMatch(/^cannot be read as JSON: /);
  });

  it('reads what stands behind a broken document', () => {
    expect(readJsonStream('{"a":}\n{"b":1}').documents).toEqual([{ number: 2, line: 2, value: { b: 1 } }]);
  });

  it('takes escaped quotes and backslashes for what they are', () => {
    const value = { 'a"}': ['\\', '\\"', '{"'] };

    expect(readJsonStream(JSON.stringify(value)).documents).toMatchObject([{ value }]);
  });
});

describe('documents', () => {
  it.each([
    { title: 'YAML', text: 'a: 1\n---\nb: 1\n', values: [{ a: 1 }, { b: 1 }] },
    { title: 'YAML with empty documents', text: '---\n---\na: 1\n---\n# nothing\n', values: [{ a: 1 }] },
    {
      title: 'YAML with merged keys',
      text: 'x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n',
      values: [{ x: { a: 1 }, y: { a: 1, b: 2 } }],
    },
    { title: 'YAML that begins like JSON', text: '{a: 1}\n', values: [{ a: 1 }] },
    { title: 'a word', text: 'word', values: ['word'] },
    { title: 'nothing', text: '', values: [] },
  ])('$title', ({ text, values }) => {
    const { documents, problems } = readDocuments(text);

    expect(problems).toEqual([]);
    expect(documents.map(({ value }) => value)).toEqual(values);
  });

  it('refuse keys that stand twice', () => {
    expect(readDocuments('a: 1\na: 2\n').problems).toMatchObject([{ number: 1, line: 2 }]);
  });
});

describe('the bounds of documents', () => {
  const arrays = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it('reads JSON 1,000 levels deep, and refuses 1,001 and 1,000,000', () => {
    expect(readJsonStream(arrays(1000)).problems).toEqual([]);
    for (const depth of [1001, 1_000_000]) {
      expect(readJsonStream(arrays(depth)).problems).toEqual([
        { number: 1, line: 1, message: 'cannot be read as JSON: nested deeper than 1000 levels' },
      ]);
    }
  });

  it('gives up after 1,000 broken documents', () => {
    const { problems } = readJsonStream('x '.repeat(100_000));

    expect(problems).toHaveLength(1001);
    expect(problems.at(-1)?.message).toBe('the rest is not read, because there are too many problems before it');
  });

  it.each([
    ['keys of one document', (count: number) => Array.from({ length: count }, (_, at) => `k${at}: v\n`).join('')],
    ['JSON documents in one line', (count: number) => '{} '.repeat(count)],
  ])('takes a time that grows with the number of %s, not with its square', (_law, generate) => {
    const timed = (text: string): number => {
      const startedAt = process.cpuUsage();
      readDocuments(text);
      const { user, system } = process.cpuUsage(startedAt);
      return user + system;
    };
    timed(generate(2000));
    const small = Math.max(timed(generate(2000)), timed(generate(2000)), 1000);

    // Quadratic work would take 400 times as long.
    expect(timed(generate(40_000))).toBeLessThan(small * 100);
  });
});
