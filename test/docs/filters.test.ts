import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../src/filter/filter.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { codeBlocks, codes, readDocument, section, table, tables } from './markdown.ts';

const filters = section(readDocument('docs/configuration.md'), 'Filters');
const jq = section(filters, 'jq');
const object: unknown = JSON.parse(codeBlocks(jq, 'json')[0] ?? '');

function rowsOf(rows: readonly (readonly string[])[]): readonly { expression: string; result: string }[] {
  return rows.map(([expression, result]) => ({
    expression: codes(expression)[0] ?? '',
    result: codes(result)[0] ?? '',
  }));
}

function apply(type: 'jq' | 'jsonPath', expression: string): string {
  const { result, error } = compileFilter({ type, expression }).apply(object);
  return error ?? result;
}

describe('the filters of docs/configuration.md', () => {
  it.each(rowsOf(table(jq)))('jqFilter $expression gives $result', ({ expression, result }) => {
    expect(apply('jq', expression)).toBe(result);
  });

  it.each(rowsOf(table(section(filters, 'JSONPath'))))(
    'jsonPathFilter $expression gives $result',
    ({ expression, result }) => {
      expect(apply('jsonPath', expression)).toBe(result);
    },
  );

  it('what is said not to be there is refused, and what is said to be there is taken', () => {
    const differences = tables(jq)[1] ?? [];
    const missing = differences.filter(([, here = '']) => here.startsWith('not '));
    const names = missing.flatMap(([topic]) => codes(topic)).filter((name) => !/import|include/.test(name));

    expect(names.length).toBeGreaterThan(12);
    for (const expression of names)
      expect([expression, checkFilter({ type: 'jq', expression })]).toEqual([expression, expect.any(String)]);
    for (const expression of [
      'pick(.a)',
      'abs',
      'toarray',
      'trim',
      'trimstr("a")',
      'skip(1; .[])',
      '.[] as [$a] ?// $a | $a',
    ]) {
      expect([expression, checkFilter({ type: 'jq', expression })]).toEqual([expression, undefined]);
    }
  });

  it('conditions in JSONPath are refused with what to use instead', () => {
    expect(checkFilter({ type: 'jsonPath', expression: '$.a[?(@.b)]' })).toContain('use jqFilter');
  });

  it('a filterResult keeps the order of its keys', () => {
    expect(apply('jq', '{b: 1, a: 2}')).toBe('{"b":1,"a":2}');
    expect(apply('jq', '{b: 1, a: 2} | keys')).toBe('["a","b"]');
  });

  it('regular expressions take what RE2 does not', () => {
    expect(apply('jq', String.raw`"ab" | test("(?<=a)b"), test("(?<!a)b"), test("\\p{L}")`)).toBe('[true,false,true]');
  });

  it('numbers are doubles', () => {
    expect(apply('jq', '9007199254740993')).toBe('9007199254740992');
  });

  it('modules are refused with the reason', () => {
    expect(checkFilter({ type: 'jq', expression: 'import "a" as a; .' })).toContain('one self-contained text');
  });

  it('the environment is empty', () => {
    expect(apply('jq', '[$ENV, env]')).toBe('[{},{}]');
  });
});
