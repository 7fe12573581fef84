import { sleep } from '../lib/sleep.ts';
import { isObject } from '../lib/json-object.ts';
import { isAnotherObject, isLost, isMissing } from '../kube/api-error.ts';
import { finalizersOf, uidOf } from './api-object.ts';
import type { DeleteOperation } from './operation.ts';
import { retrying, send, type Outcome, type PatchSession, type Place } from './patch-session.ts';

const PROPAGATION = { Delete: 'Foreground', DeleteInBackground: 'Background', DeleteNonCascading: 'Orphan' } as const;
const WAIT_MS = 20_000;
const FIRST_POLL_MS = 20;
const MAX_POLL_MS = 1000;

/** Carries out a deletion. Delete waits up to 20 s until the object is gone; the others return when it is accepted. */
export async function deleteObject(session: PatchSession, place: Place, operation: DeleteOperation): Promise<Outcome> {
  const propagationPolicy = PROPAGATION[operation.operation];
  const { preconditions } = operation;
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, preconditions });
  try {
    const answer = await retrying(session, { retriesConflicts: false, retriesLost: true }, async () =>
      send(session, { method: 'DELETE', path: place.path, body }),
    );
    const waits = operation.operation === 'Delete' && operation.subresource === undefined;
    // The server answers with a Status instead of the object when the object is gone already.
    if (waits && isObject(answer) && answer['kind'] !== 'Status') await untilGone(session, place, uidOf(answer));
    return { change: 'deleted' };
  } catch (error) {
    if (isMissing(error) || isAnotherObject(error)) return { change: 'absent' };
    throw error;
  }
}

async function untilGone(session: PatchSession, place: Place, uid: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  let live: unknown;
  for (let delayMs = FIRST_POLL_MS; Date.now() < deadline; delayMs = Math.min(2 * delayMs, MAX_POLL_MS)) {
    await sleep(delayMs, session.signal);
    try {
      live = await send(session, { method: 'GET', path: place.object });
      if (uidOf(live) !== uid) return;
    } catch (error) {
      if (isMissing(error)) return;
      if (!isLost(error)) throw error;
    }
  }
  throw new Error(`the object still exists ${WAIT_MS / 1000} s after its deletion began${finalizersText(live)}`);
}

function finalizersText(live: unknown): string {
  const finalizers = finalizersOf(live);
  return finalizers.length === 0 ? '' : `; it has the finalizers ${finalizers.join(', ')}`;
}
