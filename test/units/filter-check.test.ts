import { expect, it } from 'vitest';
import { checkFilter } from '../../src/units/filter-check.ts';

it.each([
  ['jq', '.metadata.labels', undefined],
  ['jsonPath', '$.metadata.labels', undefined],
  ['jq', '.[', expect.stringContaining('syntax error')],
  ['jq', 'nosuchbuiltin', expect.stringContaining('nosuchbuiltin')],
] as const)('a %s filter %s gives %s', (type, expression, expected) => {
  expect(checkFilter({ type, expression })).toEqual(expected);
});
