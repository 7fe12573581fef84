import { areEqual, compareValues, sortValues } from './order.ts';
import { meter } from './meter.ts';
import type { JsonValue } from './value.ts';

/** The items of `from` that equal none of `unwanted`. */
export function withoutItems(from: readonly JsonValue[], unwanted: readonly JsonValue[]): JsonValue[] {
  meter().places(from.length + unwanted.length);
  // NaN equals nothing, not even itself.
  const scalars = new Set(unwanted.filter((item) => !isContainer(item) && !Number.isNaN(item)));
  const hasLiteral = unwanted.some((item) => typeof item === 'symbol');
  const containers = sortValues(unwanted.filter(isContainer));
  return from.filter((item) => {
    meter().tick();
    if (typeof item === 'symbol' || hasLiteral) return !unwanted.some((other) => areEqual(item, other));
    return isContainer(item) ? !isAmong(containers, item) : !scalars.has(item);
  });
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}

function isAmong(sorted: readonly JsonValue[], wanted: JsonValue): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compareValues(sorted[middle] ?? null, wanted);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
