import { KubeError } from '../errors.ts';
import { isConflict, isMissing, isUnknownResource } from '../kube/api-error.ts';
import { resourcePath } from '../kube/kind.ts';
import { asJsonObject } from '../kube/object.ts';
import { metadataOf, uidOf, versionOf } from './api-object.ts';
import type { FinalizedObject, FinalizerSession } from './finalizer.ts';
import { withRetries } from './retries.ts';
import type { JsonObject } from '../lib/json-object.ts';

/** The field manager of what hooklet records in annotations of objects. */
export const RECORD_MANAGER = 'hooklet-state';

const REQUEST_LIMIT_MS = 10_000;
/** Between a read and a write, somebody may add the first annotation, or remove the last. */
const MAX_TRIES = 4;

/** An annotation of an object that is to be changed only if nobody else has changed it. */
export interface AnnotationChange {
  readonly object: FinalizedObject;
  readonly annotation: string;
  /** What it was; undefined: it was not there. */
  readonly before: string | undefined;
  /** What it becomes; undefined: it is removed. It differs from whatever another writer makes of it. */
  readonly after: string | undefined;
  /** Written with it, whatever they were. */
  readonly others?: Readonly<Record<string, string>>;
  /** Whether the object had annotations. */
  readonly hasAnnotations: boolean;
}

/** What became of the change. */
export type AnnotationOutcome =
  /** `version` is the resourceVersion that the answer has. */
  | { readonly type: 'written'; readonly version: string }
  /** Somebody else has changed the annotation; `live` is the object as it is now. */
  | { readonly type: 'changed'; readonly live: JsonObject }
  /** The object is gone, or another one has its name. */
  | { readonly type: 'gone' };

/**
 * Writes an annotation by a JSON Patch that tests the uid of the object and the former text of the annotation. Rejects
 * where the API server refuses the change for another reason, or does not answer.
 */
export async function compareAndSet(change: AnnotationChange, session: FinalizerSession): Promise<AnnotationOutcome> {
  let { hasAnnotations } = change;
  const rule = { retriesConflicts: false, retriesLost: true };
  let wasLost = false;
  const retrying = { rule, signal: session.signal, onRetry: () => void (wasLost = true) };
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await withRetries(async () => patch({ ...change, hasAnnotations }, session), retrying);
      return { type: 'written', version: versionOf(answer) };
    } catch (error) {
      if (isMissing(error) && !isUnknownResource(error)) return { type: 'gone' };
      if (!isRefused(error)) throw error;
      const live = await withRetries(async () => read(change.object, session), retrying);
      const found = foundIn(live, change, wasLost);
      if (found !== undefined) return found;
      // A conflict with a change of something else passes.
      if (tries >= MAX_TRIES || (!isConflict(error) && hasAnnotations === hasSome(live))) throw error;
      hasAnnotations = hasSome(live);
    }
  }
}

/** What a refusal means; undefined where the annotation is as it was, so that something else was the reason. */
function foundIn(
  live: JsonObject | undefined,
  change: AnnotationChange,
  wasLost: boolean,
): AnnotationOutcome | undefined {
  if (live === undefined || uidOf(live) !== change.object.uid) return { type: 'gone' };
  const found = annotationsOf(live)[change.annotation];
  // By a request of ours, since only that has this text; that there is none may be the work of others.
  const isOwn = found === change.after && found !== change.before && (found !== undefined || wasLost);
  if (isOwn) return { type: 'written', version: versionOf(live) };
  return found === change.before ? undefined : { type: 'changed', live };
}

async function patch(change: AnnotationChange, session: FinalizerSession): Promise<unknown> {
  const path = await pathOf(change.object, session);
  return session.client.request(
    {
      method: 'PATCH',
      path,
      query: { fieldManager: RECORD_MANAGER },
      body: JSON.stringify(operationsOf(change)),
      contentType: 'application/json-patch+json',
      timeoutMs: REQUEST_LIMIT_MS,
    },
    session.signal,
  );
}

async function read(object: FinalizedObject, session: FinalizerSession): Promise<JsonObject | undefined> {
  const path = await pathOf(object, session);
  try {
    return asJsonObject(
      await session.client.request({ method: 'GET', path, timeoutMs: REQUEST_LIMIT_MS }, session.signal),
    );
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function operationsOf({ object, annotation, before, after, others = {}, hasAnnotations }: AnnotationChange) {
  const identity = { op: 'test', path: '/metadata/uid', value: object.uid };
  if (!hasAnnotations) {
    const value = { ...others, ...(after !== undefined && { [annotation]: after }) };
    return [
      identity,
      { op: 'test', path: '/metadata/annotations', value: null },
      { op: 'add', path: '/metadata/annotations', value },
    ];
  }
  const path = pointer(annotation);
  return [
    identity,
    { op: 'test', path, value: before ?? null },
    ...Object.entries(others).map(([name, value]) => ({ op: 'add', path: pointer(name), value })),
    ...(after === undefined ? [{ op: 'remove', path }] : [{ op: 'add', path, value: after }]),
  ];
}

function pointer(annotation: string): string {
  return `/metadata/annotations/${annotation.replaceAll('/', '~1')}`;
}

async function pathOf(
  { apiVersion, kind, namespace, name }: FinalizedObject,
  { kinds, signal }: FinalizerSession,
): Promise<string> {
  return resourcePath(await kinds.resolve({ apiVersion, kind }, signal), { namespace, name });
}

/** A test has failed, or the object cannot be as it would become. */
function isRefused(error: unknown): boolean {
  return isConflict(error) || (error instanceof KubeError && error.status === 422);
}

function hasSome(object: JsonObject | undefined): boolean {
  return metadataOf(object)['annotations'] !== undefined;
}

/** The annotations of an object that are texts. */
export function annotationsOf(object: unknown): Readonly<Record<string, string>> {
  const texts = Object.entries(asJsonObject(metadataOf(object)['annotations'])).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}
