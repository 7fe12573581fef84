import { describe, expect, it } from 'vitest';
import { compileJsonPath } from '../../src/filter/json-path.ts';

const OBJECT = {
  metadata: {
    name: 'a',
    labels: {
      'a.b/c': 'dotted',
      $: 'dollar',
      '~t': 'tilde',
      "it's": 'quoted',
      'a,b': 'comma',
      '*': 'star',
      'x;y': 'semicolon',
    },
  },
  list: [1, 2, 3],
  empty: [],
  nothing: null,
};

describe('a match', () => {
  it.each([
    ['$.metadata.name', '"a"'],
    ['$.list', '[1,2,3]'],
    ['$.list[*]', '[1,2,3]'],
    ['$.list[-1]', '3'],
    ['$.list[0:2]', '[1,2]'],
    ['$.list[0,2]', '[1,3]'],
    ['$.empty', '[]'],
    ['$.empty[*]', 'null'],
    ['$.nothing', 'null'],
    ['$..name', '"a"'],
    ["$.metadata['name','missing']", '"a"'],
    ["$.metadata.labels['a.b/c']", '"dotted"'],
    ["$.metadata.labels['$']", '"dollar"'],
    ["$.metadata.labels['~t']", '"tilde"'],
    [`$.metadata.labels["it's"]`, '"quoted"'],
    ["$.metadata.labels['a,b']", '"comma"'],
    ["$.metadata.labels['*']", '"star"'],
    ["$.metadata.labels['x;y']", '"semicolon"'],
  ])('of %s is %s, whatever is in the name', (expression, result) => {
    expect(compileJsonPath(expression).apply(OBJECT)).toEqual({ result });
  });

  it.each(['$.constructor', '$.toString', '$.metadata.__proto__', '$.name.length'])(
    'of %s is never inherited',
    (expression) => {
      expect(compileJsonPath(expression).apply(OBJECT)).toEqual({ result: 'null' });
    },
  );

  it('is looked for in any value', () => {
    expect(compileJsonPath('$.a').apply(1)).toEqual({ result: 'null' });
    expect(compileJsonPath('$').apply('x')).toEqual({ result: '"x"' });
  });
});
