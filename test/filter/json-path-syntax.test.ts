import { describe, expect, it } from 'vitest';
import { FilterError } from '../../src/errors.ts';
import { normalizeJsonPath } from '../../src/filter/json-path-syntax.ts';

describe('a JSONPath', () => {
  it.each([
    ['$', '$'],
    ['.', '$'],
    ['{.metadata.name}', "$['metadata']['name']"],
    [' .metadata.name ', "$['metadata']['name']"],
    ['$.a..b', "$['a']..['b']"],
    ['$..*', '$..[*]'],
    ['$.a[*].b', "$['a'][*]['b']"],
    ['$.a.*', "$['a'][*]"],
    ['$.a[-1]', "$['a'][-1:]"],
    ['$.a[-2]', "$['a'][-2:-1]"],
    ['$.a[0:2]', "$['a'][0:2]"],
    ['$.a[0, 2]', "$['a'][0,2]"],
    [`$['a', "b"]`, "$['a','b']"],
    [String.raw`.labels.app\.kubernetes\.io/name`, "$['labels']['app.kubernetes.io/name']"],
    ["$.labels['*']", "$['labels']['','*']"],
    [`$["it's"]`, String.raw`$['','it\'s']`],
  ])('%s is written as %s', (expression, expected) => {
    expect(normalizeJsonPath(expression)).toBe(expected);
  });

  it.each([
    ['metadata.name', "unexpected \"m\" at column 1, expected '$', '.' or '['"],
    ['toString', 'unexpected "t" at column 1'],
    ['$.metadata[', 'unexpected end at column 12'],
    ['$.a b', 'unexpected " " at column 4'],
    ['$.', 'unexpected end at column 3, expected a field name'],
    ['$.a[b]', 'unexpected "b" at column 5, expected a quoted name, an index'],
    ['$.a^', 'unexpected "^" at column 4'],
    ['$.a.b()', 'unexpected "(" at column 6'],
    [`$['a(b)']`, 'a name without parentheses'],
  ])('%s is refused with the place', (expression, message) => {
    expect(() => normalizeJsonPath(expression)).toThrow(FilterError);
    expect(() => normalizeJsonPath(expression)).toThrow(message);
  });

  it.each(['$.c[?(@.type=="Ready")]', '$.c[(@.length-1)]', '$.c[?@.x]'])(
    '%s is refused and jqFilter proposed',
    (expression) => {
      expect(() => normalizeJsonPath(expression)).toThrow('use jqFilter');
    },
  );
});
