import { isAlreadyExists, isConflict, isForbidden, isMissing, isVersionRequired } from '../kube/api-error.ts';
import { objectToSend, versionOf, withVersion } from './api-object.ts';
import { postObject } from './create-object.ts';
import type { CreateOperation } from './operation.ts';
import { retrying, send, written, type Outcome, type PatchSession, type Place } from './patch-session.ts';
import type { JsonObject } from '../lib/json-object.ts';

/**
 * CreateOrUpdate of a named object: replaces the live object with that of the hook, or creates it. Objects are updated
 * far more often than created, so the update is tried first: one request if the kind needs no resourceVersion or it is
 * remembered, else two. New objects often come in series, so once one was new, the next unknown object of the kind is
 * created first.
 */
export async function createOrUpdate(
  session: PatchSession,
  place: Place,
  operation: CreateOperation,
): Promise<Outcome> {
  const object = objectToSend(operation, place.kind);
  const isWhole = operation.subresource === undefined;
  return retrying(session, { retriesConflicts: true, retriesLost: true }, async () => {
    const created =
      isWhole && session.memory.isLikelyNew(place.kind, place.object)
        ? await createFirst(session, place, object)
        : undefined;
    if (created !== undefined) return created;
    try {
      const outcome = await update(session, place, object);
      session.memory.noteNew(place.kind, false);
      return outcome;
    } catch (error) {
      session.memory.forget(place.object);
      const mayBeNew = isMissing(error) || isForbidden(error);
      if (!mayBeNew || !isWhole) throw error;
      return create(session, place, { object, refusal: error });
    }
  });
}

/** Returns `undefined` when the object exists, or the hook may not create it. */
async function createFirst(session: PatchSession, place: Place, object: JsonObject): Promise<Outcome | undefined> {
  try {
    return await postObject(session, place, { object, isSubresource: false });
  } catch (error) {
    if (isAlreadyExists(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

async function update(session: PatchSession, place: Place, object: JsonObject): Promise<Outcome> {
  if (session.memory.needsVersion(place.kind)) return replaceKnown(session, place, object);
  try {
    return await put(session, place, object);
  } catch (error) {
    if (!isVersionRequired(error)) throw error;
    session.memory.requireVersion(place.kind);
    return replaceLive(session, place, object);
  }
}

/** Tries the remembered version first: most objects did not change since the last run. */
async function replaceKnown(session: PatchSession, place: Place, object: JsonObject): Promise<Outcome> {
  const version = session.memory.versionOf(place.object);
  if (version === undefined) return replaceLive(session, place, object);
  try {
    return await put(session, place, withVersion(object, version));
  } catch (error) {
    if (!isConflict(error)) throw error;
    return replaceLive(session, place, object);
  }
}

async function replaceLive(session: PatchSession, place: Place, object: JsonObject): Promise<Outcome> {
  const version = versionOf(await send(session, { method: 'GET', path: place.object }));
  session.memory.remember(place.object, version);
  return put(session, place, withVersion(object, version));
}

async function put(session: PatchSession, place: Place, object: JsonObject): Promise<Outcome> {
  const answer = await send(session, { method: 'PUT', path: place.path, body: JSON.stringify(object) });
  return written(session, place, { answer, change: 'updated' });
}

/**
 * Creates the object. Throws `refusal`, the error of the update, when that was forbidden and the object exists after
 * all.
 */
async function create(
  session: PatchSession,
  place: Place,
  { object, refusal }: { readonly object: JsonObject; readonly refusal: unknown },
): Promise<Outcome> {
  try {
    const outcome = await postObject(session, place, { object, isSubresource: false });
    session.memory.noteNew(place.kind, true);
    return outcome;
  } catch (error) {
    throw isAlreadyExists(error) && isForbidden(refusal) ? refusal : error;
  }
}
