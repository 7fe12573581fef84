import type { JsonObject, JsonValue } from '../json.ts';

/** How the objects of a kind are shown as rows of a table. */
export interface Printer {
  readonly columns: readonly Column[];
  /** One cell for each column. */
  cells(object: JsonObject, now: number): readonly JsonValue[];
}

/** A column, as a Table names it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 for those that are always shown. */
  readonly priority: number;
}

/** A printer; a column is a name, `:type` where it is no string, and `+` where only a wide table shows it. */
export function printer(columns: string, cells: Printer['cells']): Printer {
  return { columns: columns.split(', ').map(readColumn), cells };
}

function readColumn(text: string): Column {
  const [, name = '', type = 'string', wide = ''] = /^([^:+]+)(?::(\w+))?(\+?)$/.exec(text) ?? [];
  const format = name === 'Name' || name === 'Attacher' ? 'name' : '';
  return { name, type, format, description: '', priority: wide === '' ? 0 : 1 };
}
