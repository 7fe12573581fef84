import { describe, expect, it } from 'vitest';
import { MAX_YAML_DEPTH } from '../../src/lib/yaml-depth.ts';
import { readYaml, type YamlDocument } from '../../src/lib/yaml.ts';

function problemsOf(documents: readonly YamlDocument[]): readonly string[] {
  return documents.flatMap((document) =>
    document.type === 'broken'
      ? document.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
      : [],
  );
}

function valuesOf(documents: readonly YamlDocument[]): readonly unknown[] {
  expect(problemsOf(documents)).toEqual([]);
  return documents.map((document) => (document.type === 'value' ? document.value : undefined));
}

describe('readYaml', () => {
  it.each<[string, string, readonly unknown[]]>([
    ['no document', '', []],
    ['one', 'a: 1', [{ a: 1 }]],
    ['several', 'a: 1\n---\n- b\n---\n', [{ a: 1 }, ['b'], null]],
    ['JSON', '{"a": [1, null]}', [{ a: [1, null] }]],
    ['Windows line ends', 'a: 1\r\nb: 2\r\n', [{ a: 1, b: 2 }]],
    ['a byte order mark', '\uFEFFa: 1', [{ a: 1 }]],
    [
      'merge keys, of several maps too',
      'x: &x {a: 1}\ny: &y {b: 2}\nz: {<<: [*x, *y], c: 3}',
      [{ x: { a: 1 }, y: { b: 2 }, z: { a: 1, b: 2, c: 3 } }],
    ],
    [
      'keys of a prototype as keys',
      '{__proto__: 1, constructor: 2}',
      [JSON.parse('{"__proto__": 1, "constructor": 2}')],
    ],
    ['an anchor that is set anew', '[&a 1, *a, &a 2, *a]', [[1, 1, 2, 2]]],
  ])('reads %s', (_law, text, values) => {
    expect(valuesOf(readYaml(text))).toEqual(values);
  });

  it.each([
    ['a key twice, of a block', 'a: 1\nb: 2\na: 3', ['3:1 Map keys must be unique, "a" comes twice']],
    ['a key twice, of a flow', '{a: 1, "a": 3}', ['1:8 Map keys must be unique, "a" comes twice']],
    ['a number and a text that make one key', '{1: a, "1": b}', ['1:8 Map keys must be unique, "1" comes twice']],
    [
      'every key that comes twice',
      'a: 1\na: 2\nb: {c: 1, c: 2}',
      ['2:1 Map keys must be unique, "a" comes twice', '3:11 Map keys must be unique, "c" comes twice'],
    ],
    ['a key that is a list', '[a, b]: c', ['1:1 a key that is not a plain value']],
    ['an alias without anchor', 'a: *x', ['1:4 Unresolved alias (the anchor must be set before the alias): x']],
    [
      'an alias within its own anchor',
      '&a [*a]',
      ['1:5 Unresolved alias (the anchor must be set before the alias): a'],
    ],
  ])('refuses %s', (_law, text, problems) => {
    expect(problemsOf(readYaml(text))).toEqual(problems);
  });

  it('reads the other documents beside a broken one', () => {
    const documents = readYaml('a: 1\n---\nb: 1\nb: 2\n---\nc: 3');

    expect(documents.map(({ type, line }) => [type, line])).toEqual([
      ['value', 1],
      ['broken', 3],
      ['value', 6],
    ]);
  });

  it.each([
    ['flow lists', (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['flow maps', (depth: number) => `${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`],
    ['block lists', (depth: number) => `${'- '.repeat(depth)}1`],
    ['block maps', (depth: number) => Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ])('reads %s 200 levels deep, and refuses 201 or 1,000', (_law, nested) => {
    expect(MAX_YAML_DEPTH).toBe(200);
    expect(problemsOf(readYaml(nested(200)))).toEqual([]);
    for (const depth of [201, 1000]) {
      expect(problemsOf(readYaml(nested(depth)))).toEqual([expect.stringMatching(/nested deeper than 200 levels$/)]);
    }
  });

  it('refuses a text of more than 2 MiB at once', () => {
    expect(problemsOf(readYaml('a'.repeat(2 * 1024 * 1024)))).toEqual([]);
    expect(problemsOf(readYaml('a'.repeat(2 * 1024 * 1024 + 1)))).toEqual([
      '1:1 2097153 characters, expected at most 2097152; larger data can be written as JSON',
    ]);
  });

  it('reads a longer text where that is asked for', () => {
    expect(problemsOf(readYaml('a'.repeat(3_000_000), { maxCharacters: 3_000_000 }))).toEqual([]);
  });

  it('counts aliases by what they stand for, 4 MiB a document', () => {
    const doubling = (levels: number): string =>
      [
        'l0: &l0 [xxxxx]',
        ...Array.from({ length: levels }, (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}]`),
      ].join('\n');

    expect(problemsOf(readYaml(doubling(12)))).toEqual([]);
    expect(problemsOf(readYaml(doubling(200)))).toEqual([
      expect.stringMatching(/aliases that stand for more than 4194304 characters$/),
    ]);
    expect(valuesOf(readYaml(`a: &a x\nb: [${'*a,'.repeat(5000)}]`))).toHaveLength(1);
  });

  it('refuses more than 10,000 anchors and aliases', () => {
    expect(problemsOf(readYaml(`- &a x\n${'- *a\n'.repeat(9999)}`))).toEqual([]);
    expect(problemsOf(readYaml(`- &a x\n${'- *a\n'.repeat(10_000)}`))).toEqual([
      '10001:3 more than 10000 anchors and aliases',
    ]);
  });

  it.each([
    ['keys of a block', (count: number) => Array.from({ length: count }, (_, at) => `k${at}: v\n`).join('')],
    ['keys of a flow', (count: number) => `{${Array.from({ length: count }, (_, at) => `k${at}: v`).join(', ')}}`],
    ['keys that come twice', (count: number) => 'k: v\n'.repeat(count)],
    ['errors in one line', (count: number) => `a: "${String.raw`\q`.repeat(count)}"`],
    ['documents', (count: number) => '---\na: b\n'.repeat(count)],
    ['lines with nearly too many marks', (count: number) => `${'- '.repeat(150)}x\n`.repeat(Math.ceil(count / 150))],
    ['letters', (count: number) => 'a'.repeat(count)],
  ])('takes a time that grows with the number of %s, not with its square', (_law, generate) => {
    const timed = (text: string): number => {
      const startedAt = process.cpuUsage();
      readYaml(text);
      const { user, system } = process.cpuUsage(startedAt);
      return user + system;
    };
    timed(generate(1000));
    const small = Math.min(timed(generate(1000)), timed(generate(1000)));

    // Comparing every key with every other would take 400 times as long.
    expect(timed(generate(20_000))).toBeLessThan(small * 100);
  });

  it.each([
    ['brackets', '['.repeat(2_000_000)],
    ['braces', '{a: '.repeat(500_000)],
    ['dashes', '- '.repeat(1_000_000)],
    ['question marks', '? '.repeat(1_000_000)],
  ])('refuses 2 MB of %s before the library builds a tree of it', (_what, text) => {
    const before = process.memoryUsage().rss;

    expect(readYaml(text)).toMatchObject([
      { type: 'broken', problems: [{ message: 'nested deeper than 200 levels' }] },
    ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  it.each([
    ['dashes', '- '],
    ['keys', 'a: '],
    ['brackets', '['],
  ])('refuses lines of 9,000 %s, however many there are, and throws nothing', (_what, mark) => {
    for (const lines of [1, 100]) {
      const text = `${mark.repeat(9000)}x${mark === '[' ? ']'.repeat(9000) : ''}\n`.repeat(lines);

      expect(readYaml(text)).toMatchObject([{ type: 'broken' }]);
    }
  });
});
