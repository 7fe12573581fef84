// The first step of server-side apply: it adds the applied fields to the live object. It only adds and replaces; fields
// that the manager has stopped applying are removed afterwards (see server-side-apply.ts).

import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import { itemsOf } from './object-fields.ts';
import type { ListTopology, Topology } from './topology.ts';
import { memberOf, shapeOf } from './topology.ts';

/**
 * Merges an applied object into the live one: objects and lists that the topology merges are merged, any other applied
 * value replaces the live one.
 */
export function mergeFields(live: JsonObject, applied: JsonObject, topology: Topology): JsonObject {
  const merged = new Map(Object.entries(live));
  for (const [name, value] of Object.entries(applied)) {
    merged.set(name, mergeValue(merged.get(name), value, memberOf(topology, name)));
  }
  return Object.fromEntries(merged);
}

function mergeValue(live: JsonValue | undefined, applied: JsonValue, topology: Topology): JsonValue {
  if (live === undefined || shapeOf(topology, applied) === 'leaf') return applied;
  if (isJsonObject(live) && isJsonObject(applied)) return mergeFields(live, applied, topology);
  if (isJsonArray(live) && isJsonArray(applied) && topology.type === 'list') return mergeItems(live, applied, topology);
  return applied;
}

/**
 * Merges the items of two lists. The live items that are not applied keep their order, and so do the applied items.
 * Each live item that is next among the applied ones marks the place of the applied items up to it; the applied items
 * after the last such place come at the end.
 */
function mergeItems(live: JsonArray, applied: JsonArray, topology: ListTopology): JsonArray {
  const left = itemsOf(live, topology);
  const right = itemsOf(applied, topology);
  const liveByElement = new Map(left.map((item) => [item.element, item.value]));
  const appliedElements = new Set(right.map((item) => item.element));
  const shared = right.filter((item) => liveByElement.has(item.element)).map((item) => item.element);
  const out: JsonValue[] = [];
  const done = new Set<string>();
  let next = 0; // index of the next applied item

  const take = (until: string | undefined): void => {
    for (; next < right.length; next++) {
      const item = right[next];
      if (item === undefined) return;
      done.add(item.element);
      out.push(mergeValue(liveByElement.get(item.element), item.value, topology.element));
      if (item.element === shared[0]) shared.shift();
      if (item.element === until) {
        next++;
        return;
      }
    }
  };

  for (const item of left) {
    if (!appliedElements.has(item.element)) out.push(item.value);
    else if (!done.has(item.element) && item.element === shared[0]) take(item.element);
  }
  take(undefined);
  return out;
}
