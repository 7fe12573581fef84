import { numberAt, textsAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { finalizersOf, isTerminating } from './object-meta.ts';
import type { Storage, StoredObject } from './storage.ts';

/**
 * Stores the new state of an object, or removes the object if it is terminating and nothing delays its removal any
 * further; returns the state.
 */
export function storeOrRemove(storage: Storage, current: StoredObject, next: JsonObject): JsonObject {
  if (!isReadyToGo(current.collection, next)) return storage.put(current.collection, next).object;
  storage.remove(current.collection, current, next);
  return next;
}

/**
 * Whether an object is terminating and nothing delays its removal: no finalizer, also none in the spec of a namespace,
 * and no grace period.
 */
export function isReadyToGo(collection: string, object: JsonObject): boolean {
  if (!isTerminating(object) || finalizersOf(object).length > 0) return false;
  if ((numberAt(object, 'metadata', 'deletionGracePeriodSeconds') ?? 0) > 0) return false;
  return collection !== 'namespaces' || textsAt(object, 'spec', 'finalizers').length === 0;
}
