import type { JsonObject, JsonValue } from '../json.ts';

/** The columns of a kind's table, and how an object becomes a row. */
export interface Printer {
  readonly columns: readonly Column[];
  /** Returns one cell for each column. */
  cells(object: JsonObject, now: number): readonly JsonValue[];
}

/** One of the `columnDefinitions` of a Table. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 for a column that is always shown. */
  readonly priority: number;
}

/** Makes a printer. A column is a name, then `:type` if it is not a string, and `+` if only a wide table shows it. */
export function printer(columns: string, cells: Printer['cells']): Printer {
  return { columns: columns.split(', ').map(readColumn), cells };
}

function readColumn(text: string): Column {
  const [, name = '', type = 'string', wide = ''] = /^([^:+]+)(?::(\w+))?(\+?)$/.exec(text) ?? [];
  const format = name === 'Name' || name === 'Attacher' ? 'name' : '';
  return { name, type, format, description: '', priority: wide === '' ? 0 : 1 };
}
