import type { JsonValue } from '@hooklet/sandbox';

/** The place of a value in an expectation, such as `['objects', 0, 'data', 'a']`. */
export type ExpectPath = readonly (string | number)[];

/** What an expectation says and what was found instead. */
export interface Difference {
  readonly at: ExpectPath;
  /** For people, in one line or several. */
  readonly message: string;
  /** What would have held in this place, for `--update`; absent where nothing can be written in its place. */
  readonly found?: JsonValue;
}

/** The path as a person writes it: `objects[0].data["a.b"]`. */
export function pathText(path: ExpectPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    if (!/^[\w-]+$/.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** A word of an object as text; of what is no word its JSON. */
export function wordOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
