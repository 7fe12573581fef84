import type { JsonObject } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { ALWAYS_PRESENT, isBuiltInGroup } from './built-in-topology.ts';
import { difference, filterFields, union } from './field-set.ts';
import type { FieldManagers } from './managed-fields.ts';
import {
  capUpdaters,
  identityOf,
  metadataOf,
  readManagers,
  resetsManagers,
  withManagers,
  withoutManagers,
} from './managed-fields.ts';
import type { PatchKind } from './ownership.ts';
import { apiVersionOf, ownableThrough, topologyFor, transferFields, withoutServerFields } from './ownership.ts';

/** The manager of an update, its endpoint and its time. */
export interface Updater {
  readonly name: string;
  readonly operation: 'Update';
  readonly subresource?: string;
  readonly time: string;
  readonly kind: PatchKind;
}

/**
 * Returns `after` with the `metadata.managedFields` of a create, an update or a plain patch: the writer of a field owns
 * it, and no other manager does. Must be called with the object as it will be stored, defaults filled in.
 */
export function trackUpdate(before: JsonObject | undefined, after: JsonObject, manager: Updater): JsonObject {
  const recorded = recordedManagers(before, after, manager.subresource ?? '');
  // An object whose record was cleared stays without one until the next apply.
  const isCreate = metadataOf(before)['uid'] === undefined;
  if (recorded.size === 0 && !isCreate) return withoutManagers(after);
  return withManagers(after, trackManagers(before, after, recorded, manager));
}

/** Returns the managers after an update from `before` to `after`. */
export function trackManagers(
  before: JsonObject | undefined,
  after: JsonObject,
  recorded: FieldManagers,
  { name, subresource = '', time, kind }: Updater,
): FieldManagers {
  const isOwnable = ownableThrough(kind, subresource);
  const objects = { before: comparable(before ?? {}, kind), after: comparable(after, kind) };
  const scope = { topology: topologyFor(kind), isOwnable };
  const { managers, changes } = transferFields(objects, recorded, '', scope);
  const written = withoutServerFields(filterFields(union(changes.added, changes.modified), isOwnable));
  const entry = { manager: name, operation: 'Update', apiVersion: apiVersionOf(kind), subresource, time } as const;
  const identity = identityOf(entry);
  const owned = difference(managers.get(identity)?.fields ?? new Set(), changes.removed);
  if (written.size === 0) return managers;
  return capUpdaters(new Map([...managers, [identity, { ...entry, fields: union(owned, written) }]]));
}

/** A client that does not send managedFields, or sends invalid ones, does not clear the record. */
function recordedManagers(before: JsonObject | undefined, after: JsonObject, subresource: string): FieldManagers {
  const live = readManagers(before) ?? new Map();
  if (subresource !== '') return live;
  if (resetsManagers(after)) return new Map();
  const sent = readManagers(after);
  return sent === undefined || sent.size === 0 ? live : sent;
}

function comparable(object: JsonObject, kind: PatchKind): JsonObject {
  const plain = withoutManagers(object);
  return isBuiltInGroup(kind.group) ? fillIn(plain, ALWAYS_PRESENT) : plain;
}

function fillIn(object: JsonObject, structs: JsonObject): JsonObject {
  const filled = new Map(Object.entries(object));
  for (const [name, inner] of Object.entries(structs)) {
    const present = filled.get(name) ?? (inner === null ? null : {});
    filled.set(name, isJsonObject(present) && isJsonObject(inner) ? fillIn(present, inner) : present);
  }
  return Object.fromEntries(filled);
}
