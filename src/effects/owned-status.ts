import { metadataOf } from './api-object.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

/** The field manager of everything that hooklet writes to a status. */
export const STATUS_MANAGER = 'hooklet-status';

/** A status as `managedFields` divides it: what hooklet wrote, and what others did. */
export interface OwnedStatus {
  /** The fields that hooklet wrote, with their live values; without `conditions`. */
  readonly fields: JsonObject;
  /** The conditions that hooklet wrote; all of them where the list has one owner, and that is hooklet. */
  readonly conditions: readonly JsonObject[];
  /** Whether each condition has owners of its own, so that those of others stay when they are not sent. */
  readonly hasConditionOwners: boolean;
  /** Whether somebody else wrote `status.observedGeneration`. */
  readonly isObservedByOthers: boolean;
}

/**
 * Reads from a live object which part of its status hooklet owns. Server-side apply removes what its manager owned and
 * does not send again, so a write sends this part too, with what changes.
 */
export function ownedStatus(live: JsonObject): OwnedStatus {
  const status = statusOf(live);
  const entries = entriesOf(live);
  // A status with one owner is written whole, so all of it is sent.
  const isWhole = entries.some(({ fields: owned }) => owned !== undefined && Object.keys(owned).length === 0);
  const { conditions, ...fields } = isWhole ? status : ownedMembersOf(status, entries.find(isOwn)?.fields);
  return {
    fields,
    conditions: conditionsIn(conditions),
    hasConditionOwners: entries.some(({ fields: owned }) => hasKeys(owned?.['f:conditions'])),
    isObservedByOthers: entries.some((entry) => !isOwn(entry) && entry.fields?.['f:observedGeneration'] !== undefined),
  };
}

export function statusOf(object: JsonObject): JsonObject {
  return isObject(object['status']) ? object['status'] : {};
}

/** The members of a list of conditions that are objects. */
export function conditionsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

interface Entry {
  readonly manager: unknown;
  readonly operation: unknown;
  readonly subresource: unknown;
  /** What the entry owns below `status`; absent when nothing, empty when all of it. */
  readonly fields: JsonObject | undefined;
}

function isOwn({ manager, operation, subresource }: Entry): boolean {
  return manager === STATUS_MANAGER && operation === 'Apply' && subresource === 'status';
}

function entriesOf(live: JsonObject): readonly Entry[] {
  const { managedFields } = metadataOf(live);
  return (Array.isArray(managedFields) ? managedFields : []).filter(isObject).map((entry) => {
    const { manager, operation, subresource, fieldsV1 } = entry;
    const fields = isObject(fieldsV1) ? fieldsV1['f:status'] : undefined;
    return { manager, operation, subresource, fields: isObject(fields) ? fields : undefined };
  });
}

function ownedMembersOf(status: JsonObject, fields: JsonObject | undefined): JsonObject {
  return fields === undefined ? {} : ownedMembers(status, fields, Object.keys(fields));
}

function hasKeys(fields: unknown): boolean {
  return isObject(fields) && Object.keys(fields).some((key) => key.startsWith('k:'));
}

/** The part of `value` that `fields`, in the form of `fieldsV1`, names; a field without members is owned whole. */
function ownedPart(value: unknown, fields: JsonObject): unknown {
  const names = Object.keys(fields).filter((name) => name !== '.');
  if (names.length === 0) return value;
  if (Array.isArray(value)) return ownedItems(value, fields, names);
  return isObject(value) ? ownedMembers(value, fields, names) : value;
}

function ownedMembers(object: JsonObject, fields: JsonObject, names: readonly string[]): JsonObject {
  const members = names.flatMap((name) => {
    const member = object[name.slice(2)];
    return name.startsWith('f:') && member !== undefined ? [[name.slice(2), member, name] as const] : [];
  });
  return Object.fromEntries(members.map(([key, member, name]) => [key, ownedPart(member, childOf(fields, name))]));
}

/** The items of a list that the names, such as `k:{"type":"Ready"}`, `v:"a"` or `i:0`, mean. */
function ownedItems(list: readonly unknown[], fields: JsonObject, names: readonly string[]): readonly unknown[] {
  const nameOf = new Map<string, string>();
  const keyLists = new Map<string, readonly string[]>();
  for (const name of names) {
    const named = parsed(name.slice(2));
    const keys = name.startsWith('k:') && isObject(named) ? Object.keys(named) : undefined;
    if (keys !== undefined) keyLists.set(JSON.stringify(keys), keys);
    nameOf.set(keys === undefined ? name : itemKey(named, keys), name);
  }
  return list.flatMap((item, index) => {
    const keys = [...keyLists.values()].map((one) => itemKey(item, one));
    const key = [...keys, `v:${JSON.stringify(item)}`, `i:${index}`].find((one) => nameOf.has(one));
    const name = key === undefined ? undefined : nameOf.get(key);
    return name === undefined ? [] : [ownedPart(item, childOf(fields, name))];
  });
}

function itemKey(item: unknown, keys: readonly string[]): string {
  return `k:${JSON.stringify(keys.map((key) => [key, isObject(item) ? item[key] : undefined]))}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function childOf(fields: JsonObject, name: string): JsonObject {
  const child = fields[name];
  return isObject(child) ? child : {};
}
