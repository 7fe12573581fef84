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

  it('what a filter makes of all fields is in their order', () => {
    expect(apply('jq', '{b: 1, a: 2} | [.[]], map_values(. + 1), tojson')).toBe(
      String.raw`[[1,2],{"b":2,"a":3},"{\"b\":1,\"a\":2}"]`,
    );
  });

  it('regular expressions take what RE2 does not', () => {
    expect(apply('jq', String.raw`"ab" | test("(?<=a)b"), test("(?<!a)b"), test("\\p{L}")`)).toBe('[true,false,true]');
  });

  it('flags in a regular expression hold for the rest of their group', () => {
    expect(apply('jq', String.raw`"a\nb" | test("^b"), test("(?m)^b"), test("(?m:a$)")`)).toBe('[false,true,true]');
    expect(apply('jq', String.raw`"a\nb" | test("a.b"), test("(?s)a.b"), test("(?i)A(?s).B")`)).toBe(
      '[false,true,true]',
    );
  });

  it('classes in a regular expression are those of Unicode, and the end may come before a last line feed', () => {
    expect(apply('jq', String.raw`["é" | test("\\w"), test("[[:alpha:]]")]`)).toBe('[true,true]');
    expect(
      apply('jq', String.raw`["\u00a0" | test("\\s")], ["٣" | test("\\d")], ["a\n" | test("a$"), test("a\\z")]`),
    ).toBe('[[true],[true],[true,false]]');
  });

  it('numbers above 2^53 are exact until a filter computes with them', () => {
    expect(apply('jq', '[9007199254740993, -9007199254740993, 9007199254740993 + 0, 1.50]')).toBe(
      '[9007199254740993,-9007199254740993,9007199254740992,1.5]',
    );
  });

  it('halt ends a filter', () => {
    expect(apply('jq', '1, halt, 2')).toBe('1');
    expect(apply('jq', '"stop" | halt_error')).toBe('stop');
  });

  it('what newer versions read in another way is as the table says', () => {
    const rows = tables(jq)[2] ?? [];
    expect(rows.length).toBeGreaterThan(6);
    for (const [program, now = ''] of rows) {
      const [expression = ''] = codes(program);
      const [result] = codes(now);
      const { result: got, error } = compileFilter({ type: 'jq', expression }).apply(null);
      expect([expression, error === undefined ? got : 'an error']).toEqual([expression, result ?? 'an error']);
    }
  });

  it('what jq has removed is still there', () => {
    for (const expression of [
      '[leaf_paths]',
      'recurse_down',
      '65 | ascii',
      '0 | date',
      '0 | dateadd("seconds"; 1)',
      '0 | datesub("seconds"; 1)',
      '0 | pow10',
      '"ME======" | @base32d',
    ])
      expect([expression, checkFilter({ type: 'jq', expression })]).toEqual([expression, undefined]);
  });

  it('modules are refused with the reason', () => {
    expect(checkFilter({ type: 'jq', expression: 'import "a" as a; .' })).toContain('one self-contained text');
  });

  it('the environment is empty', () => {
    expect(apply('jq', '[$ENV, env]')).toBe('[{},{}]');
  });
});
