// Objects of a custom resource in other versions than the one in which they are stored. Without a converter only the
// apiVersion differs; with one, each object is converted by a webhook.
//
// Lists and watches keep what was converted for as long as an object and its definition stay the same, as the watch
// cache of an API server does; a get and a write convert anew.

import type { Cluster } from '../cluster.ts';
import { filledInVersion, prunedToVersion } from '../custom-object.ts';
import { textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { apiVersionOf, type ServedKind } from '../kind.ts';
import { arranged, resourceVersionOf, withMetadata } from '../object-meta.ts';
import { StoredObject } from '../storage.ts';
import { served, toStored } from '../wire.ts';
import { conversionCall, type Converted } from './conversion-review.ts';
import { StatusError } from '../status-error.ts';
import type { Outcome } from '../request-scope.ts';

/** Converts an object from one version of its kind to another; throws the server's 500 if its converter fails. */
export function inVersion(cluster: Cluster, from: ServedKind, to: ServedKind, object: JsonObject): JsonObject {
  if (from.custom === undefined) return builtInVersion(from, to, object);
  return onlyOne(convertedAll(cluster, to, [{ ...object, apiVersion: apiVersionOf(from) }]));
}

function builtInVersion(from: ServedKind, to: ServedKind, object: JsonObject): JsonObject {
  const stored = from.conversion?.toStored(object) ?? object;
  return { ...(to.conversion?.fromStored(stored) ?? stored), kind: to.kind, apiVersion: apiVersionOf(to) };
}

/** Whether an object of this kind is stored in another version than the kind's. */
export function isForeign(kind: ServedKind, object: JsonObject): boolean {
  return kind.custom !== undefined && textAt(object, 'apiVersion') !== apiVersionOf(kind);
}

/** A stored object in the version of `kind`. */
export function servedObject(cluster: Cluster, kind: ServedKind, object: JsonObject): JsonObject {
  return isForeign(kind, object) ? onlyOne(convertedAll(cluster, kind, [object])) : served(kind, object);
}

/** The form in which an object of `kind` is stored, and what is served of that. */
export interface StoredForms {
  readonly stored: JsonObject;
  readonly served: (written: JsonObject) => JsonObject;
}

/** Converts an object to the version of the storage and back, before anything is written. */
export function storedForms(cluster: Cluster, kind: ServedKind, object: JsonObject): StoredForms {
  const stored = inStoredVersion(cluster, kind, object);
  if (!isForeign(kind, stored)) return { stored, served: (written) => served(kind, written) };
  const back = servedObject(cluster, kind, stored);
  return {
    stored,
    served: (written) => withMetadata(back, { resourceVersion: resourceVersionOf(written) || undefined }),
  };
}

function inStoredVersion(cluster: Cluster, kind: ServedKind, object: JsonObject): JsonObject {
  const { custom, storedApiVersion } = kind;
  if (custom === undefined || storedApiVersion === apiVersionOf(kind)) return toStored(kind, object);
  const target = storedVersionOf(cluster, kind);
  const converted = onlyOne(convertedAll(cluster, target, [object]));
  // Defaults are filled in whenever an object is read from the storage.
  return arranged(target.custom === undefined ? converted : filledInVersion(target.custom, converted));
}

/** The kind in the version of the storage, even if that is not served. */
function storedVersionOf(cluster: Cluster, kind: ServedKind): ServedKind {
  const found = cluster.kinds.ofCollection(kind.collection);
  if (found !== undefined && apiVersionOf(found) === kind.storedApiVersion) return found;
  const version = kind.storedApiVersion.slice(kind.storedApiVersion.indexOf('/') + 1);
  return { ...kind, version, ...(kind.custom?.stored === undefined ? {} : { custom: kind.custom.stored }) };
}

/** A stored object as lists and watches of `kind` have it. */
export function viewOf(cluster: Cluster, kind: ServedKind, stored: StoredObject): StoredObject {
  return isForeign(kind, stored.object) ? (viewsOf(cluster, kind, [stored])[0] ?? stored) : stored;
}

// By the definition's part for the version, which is another object after each change of the definition.
const views = new WeakMap<object, WeakMap<StoredObject, StoredObject>>();

/** Stored objects as lists and watches of `kind` have them; what is missing is converted, one object after the other. */
export function viewsOf(cluster: Cluster, kind: ServedKind, objects: readonly StoredObject[]): readonly StoredObject[] {
  const { custom } = kind;
  if (custom === undefined || objects.every(({ object }) => !isForeign(kind, object))) return objects;
  const known = views.get(custom) ?? new WeakMap<StoredObject, StoredObject>();
  views.set(custom, known);
  const missing = objects.filter((stored) => isForeign(kind, stored.object) && !known.has(stored));
  const converted = convertedAll(
    cluster,
    kind,
    missing.map(({ object }) => object),
  );
  for (const [index, stored] of missing.entries()) {
    const object = converted[index];
    if (object !== undefined) known.set(stored, new StoredObject(stored.collection, stored.revision, object));
  }
  return objects.map((stored) => known.get(stored) ?? stored);
}

function convertedAll(cluster: Cluster, to: ServedKind, objects: readonly JsonObject[]): readonly JsonObject[] {
  const converter = to.custom?.converter;
  const foreign = objects.filter((object) => isForeign(to, object));
  if (converter === undefined || foreign.length === 0) return objects.map((object) => renamed(to, object));
  const [outcome] = requireScope(cluster).outcomes([conversionCall(cluster, converter, to, foreign)]);
  const converted = convertedBy(outcome);
  const results = new Map(foreign.map((object, index) => [object, renamed(to, converted[index] ?? object)]));
  return objects.map((object) => results.get(object) ?? renamed(to, object));
}

function requireScope({ scope }: Cluster): NonNullable<Cluster['scope']> {
  if (scope === undefined) throw new Error('objects are converted for requests alone');
  return scope;
}

function convertedBy(outcome: Outcome<Converted> | undefined): Converted {
  if (outcome === undefined) throw new Error('a conversion has no outcome');
  if (outcome.type === 'answer') return outcome.body;
  throw new StatusError({ code: 500, message: outcome.message });
}

/** The object with the apiVersion of `kind`, without the fields that this version does not have. */
function renamed(kind: ServedKind, object: JsonObject): JsonObject {
  const { custom } = kind;
  const changed = { ...object, apiVersion: apiVersionOf(kind) };
  return custom === undefined ? changed : arranged(prunedToVersion(custom, changed));
}

function onlyOne(objects: readonly JsonObject[]): JsonObject {
  const [object] = objects;
  if (object === undefined) throw new Error('a conversion has no result');
  return object;
}
