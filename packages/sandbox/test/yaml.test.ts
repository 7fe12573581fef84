import { describe, expect, it } from 'vitest';
import { parseYaml } from '../src/yaml.ts';

describe('parseYaml', () => {
  it.each<[string, string, unknown]>([
    ['a document', 'a: [1, {b: c}]', { a: [1, { b: 'c' }] }],
    ['nothing', '', null],
    ['an anchor and 100 aliases', `a: &a x\nb: [${'*a,'.repeat(100)}]`, { a: 'x', b: Array(100).fill('x') }],
  ])('reads %s', (_law, text, value) => {
    expect(parseYaml(text)).toEqual(value);
  });

  it.each([
    ['a key that comes twice', 'a: 1\nb: 2\na: 3', 'Map keys must be unique'],
    ['101 aliases', `a: &a x\nb: [${'*a,'.repeat(101)}]`, 'more than 100 aliases'],
    ['201 levels', `${'['.repeat(201)}${']'.repeat(201)}`, 'nested deeper than 200 levels'],
    ['a million levels', '['.repeat(1_000_000), 'nested deeper than 200 levels'],
    ['several documents', 'a: 1\n---\nb: 2', 'Source contains multiple documents'],
    ['nothing but errors', ']'.repeat(100_000), 'Unexpected flow-seq-end'],
  ])('refuses %s', (_law, text, message) => {
    expect(() => parseYaml(text)).toThrow(message);
  });

  it('takes a time that grows with the number of keys, not with its square', () => {
    const timed = (count: number): number => {
      const text = Array.from({ length: count }, (_, at) => `k${at}: v\n`).join('');
      const startedAt = process.cpuUsage();
      parseYaml(text);
      const { user, system } = process.cpuUsage(startedAt);
      return user + system;
    };
    timed(2000);
    const small = Math.min(timed(2000), timed(2000));

    expect(timed(40_000)).toBeLessThan(small * 100);
  });
});
