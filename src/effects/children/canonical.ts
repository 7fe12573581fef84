import { isObject } from '../../lib/json-object.ts';

/** JSON in which the keys of every object are sorted, so that equal values have equal texts. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .toSorted()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`);
  return `{${members.join(',')}}`;
}

/** Whether a value has more than `levels` levels of objects and lists; it is not recursive. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  const open: { readonly value: unknown; readonly level: number }[] = [{ value, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.level >= levels) return true;
    for (const inner of Object.values(next.value)) open.push({ value: inner, level: next.level + 1 });
  }
  return false;
}
