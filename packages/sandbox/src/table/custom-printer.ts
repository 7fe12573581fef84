import { textAt } from '../json-fields.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { nameOf } from '../object-meta.ts';
import { count } from './cells.ts';
import { ageOf } from './human-duration.ts';
import { jsonPath } from './json-path.ts';
import type { Column, Printer } from './printer.ts';

const NAME: Column = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 };

/** Makes the printer of a custom resource from its `additionalPrinterColumns`. */
export function customPrinter(definitions: readonly JsonObject[]): Printer {
  const columns = definitions.map(columnOf);
  const paths = definitions.map((definition) => jsonPath(textAt(definition, 'jsonPath')));
  return {
    columns: [NAME, ...columns],
    cells: (object, now) => [
      nameOf(object),
      ...columns.map(({ type }, index) => cellOf(type, paths[index]?.(object)[0], now)),
    ],
  };
}

function columnOf(definition: JsonObject): Column {
  const path = textAt(definition, 'jsonPath');
  const description = textAt(definition, 'description');
  return {
    name: textAt(definition, 'name'),
    type: textAt(definition, 'type'),
    format: textAt(definition, 'format'),
    description: description === '' ? `Custom resource definition column (in JSONPath format): ${path}` : description,
    priority: count(definition, 'priority'),
  };
}

/** Converts a value to the type of its column; null if it has another type. */
function cellOf(type: string, value: JsonValue | undefined, now: number): JsonValue {
  if (value === undefined || value === null) return null;
  return CELLS[type]?.(value, now) ?? null;
}

const CELLS: { readonly [type: string]: (value: JsonValue, now: number) => JsonValue } = {
  string: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : null),
  number: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, now) => (typeof value === 'string' ? ageOf(value, now) : null),
};
