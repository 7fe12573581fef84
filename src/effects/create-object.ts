import { isAlreadyExists, isLost } from '../kube/api-error.ts';
import { covers, metadataOf, objectToSend, versionOf } from './api-object.ts';
import type { CreateOperation } from './operation.ts';
import { retrying, send, written, type Outcome, type PatchSession, type Place } from './patch-session.ts';
import type { JsonObject } from '../lib/json-object.ts';

/** Carries out Create and CreateIfNotExists. */
export async function createObject(session: PatchSession, place: Place, operation: CreateOperation): Promise<Outcome> {
  const object = objectToSend(operation, place.kind);
  let isUncertain = false;
  // With `generateName` each attempt would create another object.
  const rule = { retriesConflicts: false, retriesLost: operation.name !== undefined };
  return retrying(session, rule, async () => {
    try {
      return await postObject(session, place, { object, isSubresource: operation.subresource !== undefined });
    } catch (error) {
      if (isAlreadyExists(error) && operation.operation === 'CreateIfNotExists') return { change: 'unchanged' };
      // An earlier attempt whose answer was lost may have created the object.
      if (isUncertain && isAlreadyExists(error)) return confirmCreated(session, place, { object, error });
      isUncertain ||= isLost(error);
      throw error;
    }
  });
}

interface NewObject {
  readonly object: JsonObject;
  readonly isSubresource: boolean;
}

/** POSTs the object to its collection, or to a subresource of another object. */
export async function postObject(
  session: PatchSession,
  place: Place,
  { object, isSubresource }: NewObject,
): Promise<Outcome> {
  const path = isSubresource ? place.path : place.collection;
  const answer = await send(session, { method: 'POST', path, body: JSON.stringify(object) });
  const outcome = written(session, place, { answer, change: 'created' });
  const { name } = metadataOf(answer);
  const isNamedHere = metadataOf(object)['name'] !== undefined;
  return isNamedHere || typeof name !== 'string' ? outcome : { ...outcome, name };
}

async function confirmCreated(
  session: PatchSession,
  place: Place,
  { object, error }: { readonly object: JsonObject; readonly error: unknown },
): Promise<Outcome> {
  const live = await send(session, { method: 'GET', path: place.object });
  if (!covers(live, object)) throw error;
  return { change: 'created', resourceVersion: versionOf(live) };
}
