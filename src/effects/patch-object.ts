import { applyEmptied } from './emptied-object.ts';
import { isMissing } from '../kube/api-error.ts';
import { objectToSend } from './api-object.ts';
import type { ApplyOperation, JsonPatchOperation, MergePatchOperation } from './operation.ts';
import { retrying, send, written, type Outcome, type PatchSession, type Place } from './patch-session.ts';

/** Carries out MergePatch and JSONPatch. */
export async function patchObject(
  session: PatchSession,
  place: Place,
  operation: MergePatchOperation | JsonPatchOperation,
): Promise<Outcome> {
  const isMerge = operation.operation === 'MergePatch';
  const body = isMerge ? JSON.stringify(operation.mergePatch) : jsonPatchBody(operation.jsonPatch);
  const contentType = isMerge ? 'application/merge-patch+json' : 'application/json-patch+json';
  try {
    const answer = await retrying(session, { retriesConflicts: false, retriesLost: true }, async () =>
      send(session, { method: 'PATCH', path: place.path, body, contentType }),
    );
    return written(session, place, { answer, change: 'patched' });
  } catch (error) {
    if (operation.ignoreMissingObject && isMissing(error)) return { change: 'absent' };
    throw error;
  }
}

/** The server's `test` compares the encoded strings, and Go encodes these characters as escapes. */
function jsonPatchBody(patch: JsonPatchOperation['jsonPatch']): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(patch).replace(/[<>&\u2028\u2029]/g, escape);
}

/** Carries out Apply, which is server-side apply. */
export async function applyObject(session: PatchSession, place: Place, operation: ApplyOperation): Promise<Outcome> {
  const { fieldManager, force } = operation;
  const query = { fieldManager, ...(force && { force: 'true' }) };
  const request = { method: 'PATCH', path: place.path, query, contentType: 'application/apply-patch+yaml' } as const;
  const answer = await applyEmptied(objectToSend(operation, place.kind), async (object) =>
    // A conflict here means that another manager owns the fields, so another attempt would not help.
    retrying(session, { retriesConflicts: false, retriesLost: true }, async () =>
      send(session, { ...request, body: JSON.stringify(object) }),
    ),
  );
  return written(session, place, { answer, change: 'applied' });
}
