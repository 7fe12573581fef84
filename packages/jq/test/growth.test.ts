import { expect, it } from 'vitest';
import { compileJq } from '../src/program.ts';
import type { JsonValue } from '../src/value.ts';

const texts = (n: number): string => 'a'.repeat(n);
const wide = (n: number): string => `😀${'a'.repeat(n)}`;
const numbers = (n: number): JsonValue => Array.from({ length: n }, (_unused, index) => (index * 7919) % n);
const objects = (n: number): JsonValue =>
  Array.from({ length: n }, (_unused, index) => ({ k: `k${index % 97}`, v: index }));
const members = (n: number): JsonValue =>
  Object.fromEntries(Array.from({ length: n }, (_unused, index) => [`key${index}`, index]));
const nested = (n: number): JsonValue => {
  let value: JsonValue = 1;
  for (let level = 0; level < n; level += 1) value = [value];
  return value;
};

interface Growth {
  readonly program: string;
  readonly input: (n: number) => JsonValue;
}

const GROWTHS: readonly Growth[] = [
  ...[
    'trim, ltrim, rtrim',
    'tonumber? // 0',
    'gsub("a"; "b")',
    '[match("a"; "g")]',
    '[scan("[a-z]")]',
    'gsub("(?<x>a)"; .x)',
    'indices("a")',
    'indices(.[:100])',
    'split("a")',
    'split("")',
    'explode | implode',
    'ascii_downcase, ascii_upcase',
    '@base64 | @base64d',
    '@base32 | @base32d',
    '@uri, @html, @sh, @json, @text',
    'tojson | fromjson',
    '. * 3',
    'contains("b"), inside("b")',
    'test("b"), test("a$")',
    '.[1:] | length',
    'reduce range(length) as $i (""; . + "x") | length',
    '. == "a"',
  ].flatMap((program) => [texts, wide].map((input) => ({ program, input }))),
  { program: 'trim', input: (n) => `a${' '.repeat(n)}b` },
  { program: 'tonumber? // 0', input: (n) => `${'1'.repeat(n)}x` },
  { program: 'indices("ab" * 50)', input: (n) => 'ab'.repeat(n) },
  ...[
    'sort, unique, reverse, min, max, add',
    'sort_by(-.), group_by(. % 100), unique_by(. % 1000), min_by(.), max_by(.)',
    '. - .',
    '. - [.[] | [.]], ([.[] | [.]] - [[1]])',
    'map(. + 1), map_values(. + 1)',
    '.[] += 1',
    '[.[] | select(. > 3)]',
    'del(.[] | select(. % 2 == 0))',
    'delpaths([paths])',
    'index(3), rindex(3), indices([1, 2])',
    'flatten, transpose?, to_entries',
    'with_entries(.value += 1)?',
    'join(",")',
    'tojson | fromjson',
    'implode? // 0',
    '[paths], [leaf_paths]',
    '[tostream] | length',
    'walk(.)',
    '. == (. + []), . < (. + [1])',
    'any, all, (map(. > 1) | any)',
    '@csv, @tsv, @sh',
    'map(tostring) | add | length',
    'reduce .[] as $x ([]; . + [$x]) | length',
    'IN(.[]; 1), ([.[]] | IN([1]))',
    'map([.]) | add | length',
    'map({(tostring): .}) | add | length',
  ].map((program) => ({ program, input: numbers })),
  ...[
    'map(.k) | unique',
    'group_by(.k) | length',
    'INDEX(.k) | length',
    'sort_by(.k, .v) | length',
    'from_entries | length',
  ].map((program) => ({ program, input: objects })),
  ...[
    'keys, length',
    'to_entries | from_entries',
    'map_values(. + 1)',
    'del(.key1, .key2)',
    '. + ., . * .',
    'tojson',
    '[..] | length',
    '. == (tojson | fromjson)',
  ].map((program) => ({ program, input: members })),
  ...['flatten', '[..] | length', '. == (tojson | fromjson)', 'tojson | length', '[recurse] | length'].map(
    (program) => ({ program, input: nested }),
  ),
];

function stepsOf({ program, input }: Growth, n: number): number {
  const compiled = compileJq(program);
  compiled.run(input(n), () => {});
  return compiled.steps();
}

it.each(GROWTHS)('4 times the input is at most 8 times the steps: $program', (growth) => {
  const few = stepsOf(growth, growth.input === nested ? 200 : 2000);
  const many = stepsOf(growth, growth.input === nested ? 800 : 8000);

  expect(many / few).toBeLessThanOrEqual(8);
  // Not for want of counting.
  expect(many).toBeGreaterThan(100);
});
