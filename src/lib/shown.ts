import { isObject } from './json-object.ts';

const MAX_VALUE = 100;
const MAX_NAME = 60;
const MAX_TEXT = 2000;

/**
 * Formats a value as JSON for an error or a log line, cut after 100 characters, however large, deep or circular it is.
 */
export function shown(value: unknown, maxLength: number = MAX_VALUE): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, maxLength));
  const parts: string[] = [];
  write(value, { parts, left: maxLength + 1 });
  return cut(parts.join(''), maxLength);
}

/** Formats a name or a key for an error, without quotes, cut after 60 characters. */
export function shownName(name: string, maxLength: number = MAX_NAME): string {
  return cut(name, maxLength);
}

/** Formats the output of another program, cut after 2,000 characters. */
export function shownText(text: string, maxLength: number = MAX_TEXT): string {
  return cut(text, maxLength);
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Never cuts a surrogate pair in half.
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 1));
  return `${text.slice(0, isSplit ? maxLength - 1 : maxLength)}…`;
}

interface Output {
  readonly parts: string[];
  /** The characters that are still wanted; each level of nesting uses one, which limits the depth too. */
  left: number;
}

function write(value: unknown, output: Output): void {
  if (output.left <= 0) return;
  if (typeof value === 'string') put(output, JSON.stringify(value.slice(0, output.left)));
  else if (Array.isArray(value)) writeList(value, output);
  else if (isObject(value)) writeObject(value, output);
  else put(output, typeof value === 'number' ? String(value) : (plain(value) ?? typeof value));
}

function plain(value: unknown): string | undefined {
  return typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : JSON.stringify(value);
}

function writeList(list: readonly unknown[], output: Output): void {
  put(output, '[');
  for (let index = 0; index < list.length && output.left > 0; index += 1) {
    if (index > 0) put(output, ',');
    write(list[index], output);
  }
  put(output, ']');
}

function writeObject(object: Readonly<Record<string, unknown>>, output: Output): void {
  put(output, '{');
  for (const [index, key] of Object.keys(object).entries()) {
    if (output.left <= 0) break;
    if (index > 0) put(output, ',');
    put(output, `${JSON.stringify(key.slice(0, output.left))}:`);
    write(object[key], output);
  }
  put(output, '}');
}

function put(output: Output, text: string): void {
  output.parts.push(text);
  output.left -= text.length;
}
