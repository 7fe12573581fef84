import { expect, it } from 'vitest';
import { builtInKinds } from '../../src/built-in-kinds.ts';
import { definedKinds } from '../../src/custom-resources.ts';
import { printerOf } from '../../src/table/printers.ts';
import { widgetDefinition } from '../support/sandbox.ts';
import { row } from './rows.ts';

it.each(builtInKinds().map((kind) => [kind.collection, kind] as const))('%s has a cell for each column', (_, kind) => {
  expect(row(printerOf(kind), {})).toHaveLength(printerOf(kind).columns.length);
});

it('a custom resource has the columns of its definition, or else name and age', () => {
  const additionalPrinterColumns = [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }];
  const names = [widgetDefinition({}, { additionalPrinterColumns }), widgetDefinition()].map((definition) =>
    definedKinds(definition).map((kind) => printerOf(kind).columns.map(({ name }) => name)),
  );

  expect(names).toEqual([[['Name', 'Color']], [['Name', 'Age']]]);
});
