import type { KubeClient } from '../../kube/client.ts';
import { resourcePath, type Kinds, type ResourceKind } from '../../kube/kind.ts';
import type { Logger } from '../../log.ts';
import { isAlreadyExists, isAnotherObject, isConflict, isMissing } from '../../kube/api-error.ts';
import type { AppliedOperation } from '../apply-operations.ts';
import { metadataOf } from '../api-object.ts';
import { applyEmptied } from '../emptied-object.ts';
import { describeTarget, type PatchOperation } from '../operation.ts';
import { withRetries } from '../retries.ts';
import { isReplaced } from './child-errors.ts';
import type { WantedChild } from './desired.ts';
import { keyOf, readLiveChild, type LiveChild, type Named } from './live-child.ts';
import type { Marks } from './marks.ts';
import type { Tolerance } from './tolerance.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';

/** What the writing of children needs; `tolerance` lives as long as the operator. */
export interface ChildSession {
  readonly client: Pick<KubeClient, 'request'>;
  readonly kinds: Kinds;
  readonly tolerance: Tolerance;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** One write that was carried out, in the terms of patch operations: for the journal, the log, and own writes. */
export interface ChildWrite {
  readonly operation: PatchOperation;
  readonly applied: AppliedOperation;
  /** The fields that the child had lost to others before it was written; of a changed answer only its hash. */
  readonly lost: readonly string[];
}

/** An operation without its number, and what is there after it; absent when there is nothing. */
export interface Written {
  readonly key: string;
  readonly lost?: readonly string[];
  readonly operation: PatchOperation;
  readonly change: AppliedOperation['change'];
  readonly live?: LiveChild;
}

/** What a read found in place of a child; absent when there is nothing. */
export interface Found {
  readonly found: LiveChild | undefined;
}

// No object has this version, so the server creates the object, or answers 409 where there is one.
const NO_VERSION = '1';

/** Makes a child, in one request that never changes an object that is there. */
export async function createChild(session: ChildSession, wanted: WantedChild, marks: Marks): Promise<Written | Found> {
  try {
    const answer = await sendApply(session, wanted, { marks, metadata: { resourceVersion: NO_VERSION } });
    return writtenBy(answer, wanted, { marks, before: undefined });
  } catch (error) {
    if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    return readPlace(session, wanted, marks);
  }
}

/** Changes the child that has the uid, and no other object. */
export async function applyChild(
  session: ChildSession,
  wanted: WantedChild,
  { live, marks }: { readonly live: LiveChild; readonly marks: Marks },
): Promise<Written | Found> {
  try {
    const answer = await sendApply(session, wanted, { marks, metadata: { uid: live.uid } });
    return writtenBy(answer, wanted, { marks, before: live });
  } catch (error) {
    if (!isReplaced(error)) throw error;
    return readPlace(session, wanted, marks);
  }
}

/** Deletes the child that has the uid, and no other object; what it owns is collected in the background. */
export async function deleteChild(
  session: ChildSession,
  live: LiveChild,
  { resource, marks }: { readonly resource: ResourceKind; readonly marks: Marks },
): Promise<Written> {
  const { apiVersion, kind, name, namespace, uid } = live;
  const key = keyOf(live);
  const operation: PatchOperation = {
    operation: 'DeleteInBackground',
    target: { apiVersion, kind },
    name,
    ...(namespace !== '' && { namespace }),
    ignoreHookError: false,
    preconditions: { uid },
  };
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    preconditions: { uid },
  });
  try {
    const answer = await retried(session, async () =>
      session.client.request({ method: 'DELETE', path: pathOf(resource, live), body }, session.signal),
    );
    const isThere = isObject(answer) && metadataOf(answer)['deletionTimestamp'] !== undefined;
    return { key, operation, change: 'deleted', ...(isThere && { live: readLiveChild(answer, marks) }) };
  } catch (error) {
    if (isMissing(error) || isAnotherObject(error)) return { key, operation, change: 'absent' };
    throw error;
  }
}

/** Asks the server whether it would take the child; rejects when it would not. */
export async function tryChild(
  session: ChildSession,
  wanted: WantedChild,
  { marks, metadata }: { readonly marks: Marks; readonly metadata: JsonObject },
): Promise<void> {
  await sendApply(session, wanted, { marks, metadata, isDryRun: true });
}

/** Asks the server whether it would create the child under a name that is free. */
export async function tryRenamed(session: ChildSession, wanted: WantedChild, marks: Marks): Promise<void> {
  const name = `${wanted.name.slice(0, 40).replace(/[^a-z0-9]+$/, '')}-${wanted.hash.slice(0, 8)}`;
  const metadata = { ...metadataOf(wanted.object), name };
  const { namespace } = wanted;
  await retried(session, async () =>
    session.client.request(
      {
        method: 'POST',
        path: resourcePath(wanted.resource, namespace === '' ? {} : { namespace }),
        query: { dryRun: 'All', fieldManager: marks.fieldManager },
        body: JSON.stringify({ ...wanted.object, metadata }),
      },
      session.signal,
    ),
  );
}

interface Sending {
  readonly marks: Marks;
  /** What is sent besides the object, to bind the write to a state. */
  readonly metadata: JsonObject;
  readonly isDryRun?: boolean;
}

async function sendApply(
  session: ChildSession,
  wanted: WantedChild,
  { marks, metadata, isDryRun = false }: Sending,
): Promise<unknown> {
  const query = { fieldManager: marks.fieldManager, force: 'true', ...(isDryRun && { dryRun: 'All' }) };
  const sent = { ...wanted.object, metadata: { ...metadataOf(wanted.object), ...metadata } };
  const request = {
    method: 'PATCH',
    path: pathOf(wanted.resource, wanted),
    query,
    contentType: 'application/apply-patch+yaml',
  } as const;
  const send = async (object: JsonObject): Promise<unknown> =>
    retried(session, async () => session.client.request({ ...request, body: JSON.stringify(object) }, session.signal));
  return applyEmptied(sent, send, { isDryRun });
}

async function retried<T>({ signal, log }: ChildSession, attempt: () => Promise<T>): Promise<T> {
  const onRetry = (err: unknown, delayMs: number): void => log.debug({ err, delayMs }, 'write of a child retried');
  return withRetries(attempt, { rule: { retriesConflicts: false, retriesLost: true }, signal, onRetry });
}

/** What is at the place of a child. */
async function readPlace(session: ChildSession, wanted: WantedChild, marks: Marks): Promise<Found> {
  try {
    const answer = await retried(session, async () =>
      session.client.request({ method: 'GET', path: pathOf(wanted.resource, wanted) }, session.signal),
    );
    return { found: isObject(answer) ? readLiveChild(answer, marks) : undefined };
  } catch (error) {
    if (isMissing(error)) return { found: undefined };
    throw error;
  }
}

function writtenBy(
  answer: unknown,
  wanted: WantedChild,
  { marks, before }: { readonly marks: Marks; readonly before: LiveChild | undefined },
): Written {
  const { apiVersion, kind, name, namespace, object } = wanted;
  const operation: PatchOperation = {
    operation: 'Apply',
    target: { apiVersion, kind },
    name,
    ...(namespace !== '' && { namespace }),
    ignoreHookError: false,
    object,
    fieldManager: marks.fieldManager,
    force: true,
  };
  const live = readLiveChild(isObject(answer) ? answer : {}, marks);
  const isSame = before !== undefined && before.resourceVersion === live.resourceVersion;
  const change = before === undefined ? 'created' : isSame ? 'unchanged' : 'applied';
  return { key: wanted.key, operation, change, live };
}

/** Numbers a write among those of the pass. */
export function numbered({ operation, change, live, lost = [] }: Written, index: number): ChildWrite {
  const resourceVersion = live?.resourceVersion;
  const isDeletion = change === 'deleted' || change === 'absent';
  return {
    operation,
    lost,
    applied: {
      index,
      operation: operation.operation,
      target: describeTarget(operation),
      change,
      ...(!isDeletion && resourceVersion !== undefined && { resourceVersion }),
    },
  };
}

function pathOf(resource: ResourceKind, { namespace, name }: Named): string {
  return resourcePath(resource, namespace === '' ? { name } : { namespace, name });
}
