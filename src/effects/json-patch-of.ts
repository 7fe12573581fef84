import { isExactNumber } from '../lib/exact-json.ts';
import { isObject } from '../lib/json-object.ts';

/** One step of a JSON Patch that changes values in place. */
export type PatchStep =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The JSON Patch that makes `after` of `before`; empty when they are equal. Both are parsed JSON, `after` possibly with
 * exact numbers: one that is equal as a double is no change, since many hooks read and write doubles.
 */
export function jsonPatchOf(before: unknown, after: unknown): readonly PatchStep[] {
  const steps: PatchStep[] = [];
  compare({ before, after, path: '' }, steps);
  return steps;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: string;
}

function compare({ before, after, path }: Pair, steps: PatchStep[]): void {
  if (isExactNumber(after)) replaceChanged({ before, after, path }, steps);
  else if (isObject(before) && isObject(after)) compareObjects({ before, after, path }, steps);
  else if (Array.isArray(before) && Array.isArray(after)) compareLists({ before, after, path }, steps);
  else replaceChanged({ before, after, path }, steps);
}

function replaceChanged({ before, after, path }: Pair, steps: PatchStep[]): void {
  if (!isSame(before, after)) steps.push({ op: 'replace', path, value: after });
}

interface ObjectPair extends Pair {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

function compareObjects({ before, after, path }: ObjectPair, steps: PatchStep[]): void {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) steps.push({ op: 'remove', path: `${path}/${segment(key)}` });
  }
  for (const [key, value] of Object.entries(after)) {
    const at = `${path}/${segment(key)}`;
    if (Object.hasOwn(before, key)) compare({ before: before[key], after: value, path: at }, steps);
    else steps.push({ op: 'add', path: at, value });
  }
}

interface ListPair extends Pair {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

/** What is equal at both ends stays; in between elements are compared by position, then added or removed. */
function compareLists({ before, after, path }: ListPair, steps: PatchStep[]): void {
  const shared = Math.min(before.length, after.length);
  let head = 0;
  while (head < shared && isSame(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shared - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  const both = shared - tail;
  for (let index = head; index < both; index += 1) {
    compare({ before: before[index], after: after[index], path: `${path}/${index}` }, steps);
  }
  for (let index = before.length - tail - 1; index >= both; index -= 1) {
    steps.push({ op: 'remove', path: `${path}/${index}` });
  }
  for (let index = both; index < after.length - tail; index += 1) {
    steps.push({ op: 'add', path: `${path}/${index}`, value: after[index] });
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isExactNumber(b)) return a === Number(JSON.stringify(b));
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value: unknown, index) => isSame(value, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

function segment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
