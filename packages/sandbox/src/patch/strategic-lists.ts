import { isDeepStrictEqual } from 'node:util';
import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { internal } from './patch-refused.ts';
import { PATCH, printGo, unknownDirective, withoutMergeKey } from './strategic-directives.ts';

/**
 * How a list merges. With `mergeKey` undefined it does not merge but is replaced; with an empty one it merges as a set
 * of scalars.
 */
export interface ListRule {
  readonly mergeKey: string | undefined;
  readonly mergeItem: (current: JsonObject, patch: JsonObject) => JsonObject;
}

/** Merges a patch list into a live one; the items that the patch names are in its order. */
export function mergeLists(live: JsonArray, patch: JsonArray, { mergeKey = '', mergeItem }: ListRule): JsonArray {
  const first = live[0] ?? patch[0];
  if (!isJsonObject(first)) return inPatchOrder([...new Set([...live, ...patch])], patch, live, '');
  if (mergeKey === '') throw internal('cannot merge lists without merge key');
  const special = obeyItemDirectives(live, patch, mergeKey);
  const merged = special.patch.reduce<JsonArray>((items, item) => {
    const index = indexOfItem(items, item, mergeKey);
    const current = items[index];
    if (!isJsonObject(current) || !isJsonObject(item)) return [...items, item];
    return items.with(index, mergeItem(current, item));
  }, special.live);
  return inPatchOrder(merged, special.patch, special.live, mergeKey);
}

/** Returns the live scalars without the given ones. */
export function deleteFromList(live: JsonArray, removed: JsonArray): JsonArray {
  return live.filter((item) => !removed.includes(item));
}

/** Carries out the `$patch` directives of items; items with a directive are not merged themselves. */
function obeyItemDirectives(
  live: JsonArray,
  patch: JsonArray,
  mergeKey: string,
): { readonly live: JsonArray; readonly patch: JsonArray } {
  let left = live;
  let isReplaced = false;
  const items = patch.filter((item) => {
    if (!isJsonObject(item)) return true;
    if (item[PATCH] === undefined) return true;
    if (item[PATCH] === 'replace') isReplaced = true;
    else if (item[PATCH] === 'delete')
      left = left.filter((candidate) => keyOf(candidate, mergeKey) !== keyOf(item, mergeKey));
    else throw mergeDirective(item);
    return false;
  });
  return isReplaced ? { live: items, patch: [] } : { live: left, patch: items };
}

function mergeDirective(item: JsonObject): Error {
  if (item[PATCH] === 'merge') return internal('merging lists cannot yet be specified in the patch');
  return unknownDirective(item);
}

function keyOf(item: JsonValue, mergeKey: string): JsonValue {
  const key = isJsonObject(item) ? item[mergeKey] : undefined;
  if (key === undefined) throw withoutMergeKey(item, mergeKey);
  return key;
}

function indexOfItem(items: JsonArray, item: JsonValue, mergeKey: string): number {
  if (mergeKey === '') return items.findIndex((candidate) => isDeepStrictEqual(candidate, item));
  const key = keyOf(item, mergeKey);
  return items.findIndex((candidate) => keyOf(candidate, mergeKey) === key);
}

/**
 * Sorts merged items: those in `order` follow its order, the others the order of the live list. The two are interleaved
 * by the positions in the live list, for the items that it contains.
 */
export function inPatchOrder(merged: JsonArray, order: JsonArray, live: JsonArray, mergeKey: string): JsonArray {
  const place = (items: JsonArray, item: JsonValue): number => indexOfItem(items, item, mergeKey);
  const named = merged.filter((item) => place(order, item) >= 0);
  const others = merged.filter((item) => place(order, item) < 0);
  const patchItems = named.toSorted((left, right) => place(order, left) - place(order, right));
  const liveItems = others.toSorted((left, right) => place(live, left) - place(live, right));
  const out: JsonValue[] = [];
  for (const item of patchItems) {
    const known = place(live, item);
    while (known >= 0 && liveItems[0] !== undefined && place(live, liveItems[0]) < known) {
      out.push(...liveItems.splice(0, 1));
    }
    out.push(item);
  }
  return [...out, ...liveItems];
}

/** Refuses a patch list whose items are in another order than its order directive. */
export function checkElementOrder(patch: JsonArray, order: JsonArray, mergeKey = ''): void {
  const items = patch.filter((item) => !isJsonObject(item) || item[PATCH] === undefined);
  if (order.length === 0 || items.length === 0) return;
  let next = 0;
  for (const ordered of order) {
    const item = items[next];
    if (item !== undefined && indexOfItem([ordered], item, mergeKey) === 0) next++;
  }
  if (next === items.length) return;
  const printed = `${printGo(patch)}\n doesn't match $setElementOrder list:\n${printGo(order)}\n`;
  throw internal(`The order in patch list:\n${printed}`);
}
