import type { KubeClient } from '../kube/client.ts';
import { resourcePath, type Kinds } from '../kube/kind.ts';
import { isConflict, isMissing, isUnknownResource } from '../kube/api-error.ts';
import { finalizersOf, uidOf } from './api-object.ts';
import { KubeError } from '../errors.ts';

/** An object, and no other that gets its name later. */
export interface FinalizedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface FinalizerSession {
  readonly client: Pick<KubeClient, 'request'>;
  readonly kinds: Pick<Kinds, 'resolve'>;
  readonly signal: AbortSignal;
}

/** Between the read and the write of a removal somebody else may have changed the list. */
const MAX_TRIES = 5;

/**
 * Puts a finalizer on an object by server-side apply, with a field manager of its own, so that other finalizers stay;
 * returns false when the object is gone.
 */
export async function addFinalizer(
  object: FinalizedObject,
  finalizer: string,
  session: FinalizerSession,
): Promise<boolean> {
  const { apiVersion, kind, namespace, name, uid } = object;
  // With its uid, the request never creates the object anew.
  const metadata = { name, ...(namespace !== '' && { namespace }), uid, finalizers: [finalizer] };
  for (let tries = 1; ; tries += 1) {
    try {
      await session.client.request(
        {
          method: 'PATCH',
          path: await pathOf(object, session),
          query: { fieldManager: managerOf(finalizer), force: 'true' },
          body: JSON.stringify({ apiVersion, kind, metadata }),
          contentType: 'application/apply-patch+yaml',
        },
        session.signal,
      );
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      if (!isRefusedTest(error)) throw error;
      // Another object has the name, or somebody wrote at the same moment.
      if (!(await isThere(object, session))) return false;
      if (tries >= MAX_TRIES) throw error;
    }
  }
}

async function isThere(object: FinalizedObject, session: FinalizerSession): Promise<boolean> {
  try {
    const found = await session.client.request({ method: 'GET', path: await pathOf(object, session) }, session.signal);
    return uidOf(found) === object.uid;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Takes a finalizer off an object; resolves also when the object or the finalizer is gone. */
export async function removeFinalizer(
  object: FinalizedObject,
  finalizer: string,
  session: FinalizerSession,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await removeOnce(object, finalizer, session);
    } catch (error) {
      if (isMissing(error) && !isUnknownResource(error)) return;
      if (!isRefusedTest(error) || tries >= MAX_TRIES) throw error;
    }
  }
}

/** The finalizers of reconcile bindings on an object. */
export function addedFinalizers(object: unknown): readonly string[] {
  return finalizersOf(object).filter((finalizer) => finalizer.startsWith('hooklet.dev/'));
}

async function removeOnce(object: FinalizedObject, finalizer: string, session: FinalizerSession): Promise<void> {
  const path = await pathOf(object, session);
  const { client, signal } = session;
  const live = await client.request({ method: 'GET', path }, signal);
  const index = finalizersOf(live).indexOf(finalizer);
  if (index === -1 || uidOf(live) !== object.uid) return;
  const place = `/metadata/finalizers/${index}`;
  const patch = [
    { op: 'test', path: '/metadata/uid', value: object.uid },
    { op: 'test', path: place, value: finalizer },
    { op: 'remove', path: place },
  ];
  const body = JSON.stringify(patch);
  await client.request({ method: 'PATCH', path, body, contentType: 'application/json-patch+json' }, signal);
}

async function pathOf(object: FinalizedObject, { kinds, signal }: FinalizerSession): Promise<string> {
  const { apiVersion, kind, namespace, name } = object;
  return resourcePath(await kinds.resolve({ apiVersion, kind }, signal), { namespace, name });
}

function isRefusedTest(error: unknown): boolean {
  return isConflict(error) || (error instanceof KubeError && error.status === 422);
}

/** Field managers have at most 128 characters. */
function managerOf(finalizer: string): string {
  return `${finalizer.replace('/', '-')}-finalizer`.slice(0, 128);
}
