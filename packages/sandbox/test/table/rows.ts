import type { JsonObject, JsonValue } from '../../src/json.ts';
import type { Printer } from '../../src/table/printer.ts';

/** Ten seconds after the objects of `row` were created. */
export const NOW = Date.parse('2025-01-01T00:00:10Z');

/** The cells of an object named `a` that was created ten seconds ago. */
export function row(printer: Printer | undefined, object: JsonObject): readonly JsonValue[] {
  const metadata = { name: 'a', creationTimestamp: '2025-01-01T00:00:00Z', ...Object(object['metadata']) };
  return printer?.cells({ ...object, metadata }, NOW) ?? [];
}

/** The same cells in one line. */
export function line(printer: Printer | undefined, object: JsonObject): string {
  return row(printer, object).map(String).join('|');
}
