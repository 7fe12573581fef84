// Strategic merge patch, which works on built-in kinds only. It is a merge patch in which the lists that have a merge
// key in the topology are merged item by item, and in which keys that start with `$` are directives
// (strategic-directives.ts).
//
// Each object of the patch is handled in this order: a `$patch` directive decides alone; `$retainKeys` drops keys of
// the live object; lists with a `$setElementOrder` directive are merged and sorted; then all other members are merged.

import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import { jsonTypeOf } from './json-patch.ts';
import { withoutNulls } from './merge-patch.ts';
import { badRequest } from './patch-refused.ts';
import {
  DELETE_FROM_LIST,
  ELEMENT_ORDER,
  isDirective,
  PATCH,
  RETAIN_KEYS,
  unknownDirective,
  withoutDirectives,
} from './strategic-directives.ts';
import { checkElementOrder, deleteFromList, inPatchOrder, mergeLists } from './strategic-lists.ts';
import type { ListRule } from './strategic-lists.ts';
import type { Topology } from './topology.ts';
import { memberOf } from './topology.ts';

/** Applies a strategic merge patch; throws PatchRefused. */
export function applyStrategicMergePatch(current: JsonObject, patch: unknown, topology: Topology): JsonObject {
  if (!isJsonObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`);
  }
  return mergeMaps(current, patch, topology);
}

function mergeMaps(current: JsonObject, patch: JsonObject, topology: Topology): JsonObject {
  if (patch[PATCH] !== undefined) return obeyDirective(patch);
  const retained = retainKeys(current, patch);
  const { ordered, done } = mergeOrderedLists(retained, patch, topology);
  const merged = new Map(Object.entries(ordered));
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAIN_KEYS || key.startsWith(ELEMENT_ORDER) || done.has(key)) continue;
    const result = mergeMember(merged, { key, value }, topology);
    if (result.value === undefined) merged.delete(result.key);
    else merged.set(result.key, result.value);
  }
  return Object.fromEntries(merged);
}

function obeyDirective(patch: JsonObject): JsonObject {
  const { [PATCH]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownDirective(patch);
}

function retainKeys(current: JsonObject, patch: JsonObject): JsonObject {
  const listed = patch[RETAIN_KEYS];
  if (listed === undefined) return current;
  const isListed = (key: string): boolean => isJsonArray(listed) && listed.includes(key);
  const isConsistent = Object.entries(patch).every(
    ([key, value]) => isDirective(key) || value === null || isListed(key),
  );
  if (!isJsonArray(listed) || !isConsistent) throw badRequest('invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(current).filter(([key]) => isListed(key)));
}

/** Merges the lists for which the patch has an order directive, and sorts them. */
function mergeOrderedLists(
  current: JsonObject,
  patch: JsonObject,
  topology: Topology,
): { readonly ordered: JsonObject; readonly done: ReadonlySet<string> } {
  const ordered = new Map(Object.entries(current));
  const done = new Set<string>();
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ELEMENT_ORDER)) continue;
    const key = directive.slice(ELEMENT_ORDER.length);
    const list = orderedList({ live: ordered.get(key), patched: patch[key], order }, memberOf(topology, key));
    if (list === undefined) continue;
    ordered.set(key, list);
    done.add(key);
  }
  return { ordered: Object.fromEntries(ordered), done };
}

interface OrderedList {
  readonly live: JsonValue | undefined;
  readonly patched: JsonValue | undefined;
  readonly order: JsonValue;
}

function orderedList({ live, patched, order }: OrderedList, topology: Topology): JsonArray | undefined {
  if (!isJsonArray(order) || !isOptionalList(live) || !isOptionalList(patched)) {
    throw badRequest('invalid patch format of setElementOrder list');
  }
  if (live === undefined && patched === undefined) return undefined;
  const rule = ruleOf(topology);
  checkElementOrder(patched ?? [], order, rule.mergeKey);
  return inPatchOrder(mergeOptionalLists(live, patched, rule), order, live ?? [], rule.mergeKey ?? '');
}

function isOptionalList(value: JsonValue | undefined): value is JsonArray | undefined {
  return value === undefined || isJsonArray(value);
}

function mergeOptionalLists(live: JsonArray | undefined, patched: JsonArray | undefined, rule: ListRule): JsonArray {
  if (live === undefined) return withoutDirectives(patched ?? []);
  if (patched === undefined) return live;
  return rule.mergeKey === undefined ? patched : mergeLists(live, patched, rule);
}

function ruleOf(topology: Topology): ListRule {
  const mergeKey = topology.type === 'list' ? topology.mergeKey : undefined;
  const element = topology.type === 'list' ? topology.element : topology;
  return { mergeKey, mergeItem: (current, patch) => mergeMaps(current, patch, element) };
}

interface PatchMember {
  readonly key: string;
  readonly value: JsonValue;
}

function mergeMember(
  current: ReadonlyMap<string, JsonValue>,
  { key, value }: PatchMember,
  topology: Topology,
): { readonly key: string; readonly value: JsonValue | undefined } {
  if (key.startsWith(DELETE_FROM_LIST)) {
    const name = key.slice(DELETE_FROM_LIST.length);
    const live = current.get(name);
    return { key: name, value: isJsonArray(live) && isJsonArray(value) ? deleteFromList(live, value) : live };
  }
  return { key, value: mergeValue(current.get(key), value, memberOf(topology, key)) };
}

function mergeValue(live: JsonValue | undefined, value: JsonValue, topology: Topology): JsonValue | undefined {
  if (value === null) return undefined;
  if (isJsonObject(live) && isJsonObject(value)) {
    return isReplacedWhole(topology) ? value : mergeMaps(live, value, topology);
  }
  if (isJsonArray(live) && isJsonArray(value)) {
    const rule = ruleOf(topology);
    return rule.mergeKey === undefined ? value : mergeLists(live, value, rule);
  }
  if (isJsonObject(value) && value[PATCH] !== undefined) return undefined;
  return withoutDirectives(withoutNulls(value));
}

function isReplacedWhole(topology: Topology): boolean {
  return topology.type === 'atomic' && topology.strategy === 'replace';
}
