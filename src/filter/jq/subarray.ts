import { areEqual } from './order.ts';
import type { JsonValue } from './value.ts';

/** Every offset at which `part` occurs in `whole`; an empty part occurs nowhere. */
export function findSubarray(whole: readonly JsonValue[], part: readonly JsonValue[]): readonly JsonValue[] {
  if (part.length === 0) return [];
  const offsets: number[] = [];
  for (let offset = 0; offset + part.length <= whole.length; offset += 1) {
    if (part.every((item, index) => areEqual(item, whole[offset + index] ?? null))) offsets.push(offset);
  }
  return offsets;
}
