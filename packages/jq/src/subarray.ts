import { areEqual } from './order.ts';
import { matchesOf } from './text-search.ts';
import type { JsonValue } from './value.ts';

/** Every offset at which `part` occurs in `whole`; an empty part occurs nowhere. */
export function findSubarray(whole: readonly JsonValue[], part: readonly JsonValue[]): readonly JsonValue[] {
  if (part.length === 0) return [];
  const item = (index: number): JsonValue => (index < part.length ? part[index] : whole[index - part.length]) ?? null;
  return [...matchesOf(whole.length, part.length, (left, right) => areEqual(item(left), item(right)))];
}
