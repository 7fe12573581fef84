import { expect, it } from 'vitest';
import { customPrinter } from '../../src/table/custom-printer.ts';

const NOW = Date.parse('2025-01-01T00:00:10Z');

it.each([
  ['string', 'red', 'red'],
  ['string', 5, '5'],
  ['string', ['a'], '["a"]'],
  ['integer', 5.5, 5],
  ['integer', '5', null],
  ['number', 5.5, 5.5],
  ['boolean', true, true],
  ['boolean', 'true', null],
  ['date', '2025-01-01T00:00:00Z', '10s'],
  ['date', 'never', '<invalid>'],
  ['string', null, null],
  ['other', 1, null],
])('a column of type %s shows %j as %j', (type, value, cell) => {
  const printer = customPrinter([{ name: 'Value', type, jsonPath: '.value' }]);

  expect(printer.cells({ metadata: { name: 'a' }, value }, NOW)).toEqual(['a', cell]);
});

it('a column without a description tells its path', () => {
  const { columns } = customPrinter([{ name: 'Value', type: 'string', jsonPath: '.value', priority: 1 }]);

  expect(columns[1]).toEqual({
    name: 'Value',
    type: 'string',
    format: '',
    description: 'Custom resource definition column (in JSONPath format): .value',
    priority: 1,
  });
});
