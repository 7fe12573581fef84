import { json, type ApiRequest, type Reply, type Target } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import { parseDeleteOptions, type DeleteOptions, type Propagation } from './delete-options.ts';
import { isReadyToGo } from './finalization.ts';
import { arrayAt, numberAt, present, textAt, withAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { isReturnedWhenDeleted } from './kind-strategy.ts';
import type { ServedKind } from './kind.ts';
import { parseListOptions } from './list-options.ts';
import { IMMORTAL_NAMESPACES } from './namespaces.ts';
import { finalizersOf, isTerminating, resourceVersionOf, timestamp, withMetadata } from './object-meta.ts';
import { findObject, listPage, listText } from './read.ts';
import { forbidden, StatusError } from './status-error.ts';
import { once } from './request-scope.ts';
import type { StoredObject } from './storage.ts';
import { admitted, hasWebhooks } from './webhooks/admission.ts';
import { attributesOf } from './webhooks/attributes.ts';
import { isForeign, servedObject } from './webhooks/conversion.ts';
import { optionsOf } from './webhooks/write-admission.ts';
import { served } from './wire.ts';

/** Answers a delete of one object. */
export function deleteObject(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const options = parseDeleteOptions(request);
  const stored = findObject(cluster, target);
  checkPreconditions(target.kind, stored, options);
  requireMortal(target.kind, stored);
  admitDeletion(cluster, target, stored, options);
  const answers = answerForms(cluster, target.kind, stored, options);
  const { object, removed } = deleteStored(cluster, stored, options);
  if (!removed || isReturnedWhenDeleted(target.kind)) return json(answers(object));
  return json(deletedStatus(target.kind, stored));
}

/** How the answer shows the object, which is converted before anything is deleted. */
function answerForms(
  cluster: Cluster,
  kind: ServedKind,
  stored: StoredObject,
  options: DeleteOptions,
): (object: JsonObject) => JsonObject {
  if (!isForeign(kind, stored.object)) return (object) => served(kind, object);
  const next = deleteStored(cluster, stored, { ...options, dryRun: true }).object;
  const converted = servedObject(cluster, kind, next);
  return (object) => withMetadata(converted, { resourceVersion: resourceVersionOf(object) });
}

/** Asks the webhooks whether an object may be deleted. */
function admitDeletion(cluster: Cluster, target: Target, stored: StoredObject, options: DeleteOptions): void {
  if (!hasWebhooks(cluster)) return;
  const oldObject = servedObject(cluster, target.kind, stored.object);
  const grace = stored.collection === 'pods' ? { gracePeriodSeconds: gracePeriodOf(stored, options) } : {};
  const given = optionsOf('DeleteOptions', { ...options.given, ...grace });
  const { dryRun } = options;
  admitted(
    cluster,
    attributesOf(target, { operation: 'DELETE', object: undefined, oldObject, options: given, dryRun }),
  );
}

function gracePeriodOf(stored: StoredObject, options: DeleteOptions): number {
  return gracePeriodSeconds(stored, options.gracePeriodSeconds);
}

/** Answers a delete of all objects that a list with the same query would return. */
export function deleteCollection(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const options = parseDeleteOptions(request);
  const { listed, chunks } = once(cluster, 'list', () => {
    const page = listPage(cluster, target, parseListOptions(target.kind, request.query, cluster.features));
    return { listed: page.objects, chunks: [...listText(target, page)] };
  });
  for (const { collection, namespace, name, uid } of listed) {
    once(cluster, `delete ${uid}`, () => {
      const stored = cluster.storage.get(collection, namespace, name);
      if (stored === undefined) return;
      admitDeletion(cluster, { ...target, namespace }, stored, options);
      deleteStored(cluster, stored, options);
    });
  }
  return { type: 'text', code: 200, contentType: 'application/json', chunks };
}

function checkPreconditions(kind: ServedKind, stored: StoredObject, options: DeleteOptions): void {
  if (options.uid !== '' && options.uid !== stored.uid) {
    const explanation = `the UID in the precondition (${options.uid}) does not match the UID in record (${stored.uid}). The object might have been deleted and then recreated`;
    throw preconditionConflict(kind, stored, explanation);
  }
  if (options.resourceVersion !== '' && options.resourceVersion !== String(stored.revision)) {
    const explanation = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${stored.revision}). The object might have been modified`;
    throw preconditionConflict(kind, stored, explanation);
  }
}

/** In this message the server names the kind, elsewhere the resource. */
function preconditionConflict({ group, kind }: ServedKind, { name }: StoredObject, explanation: string): StatusError {
  const subject = group === '' ? kind : `${kind}.${group}`;
  const message = `Operation cannot be fulfilled on ${subject} "${name}": ${explanation}`;
  const details = present({ name, group: group === '' ? undefined : group, kind });
  return new StatusError({ code: 409, reason: 'Conflict', message, details });
}

function deletedStatus(kind: ServedKind, stored: StoredObject): JsonObject {
  const group = kind.group === '' ? undefined : kind.group;
  const details = present({ name: stored.name, group, kind: kind.plural, uid: stored.uid });
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** The result of a delete: the last or the current state, and whether the object was removed. */
export interface Deletion {
  readonly object: JsonObject;
  readonly removed: boolean;
}

/** Removes an object, or marks it as terminating if finalizers or a grace period delay its removal. */
export function deleteStored(
  { storage, kinds, now }: Cluster,
  stored: StoredObject,
  options: Pick<DeleteOptions, 'propagation' | 'gracePeriodSeconds' | 'dryRun'>,
): Deletion {
  const kind = kinds.ofCollection(stored.collection);
  if (kind !== undefined) requireMortal(kind, stored);
  const marked = markedObject(stored, options, now());
  if (isReadyToGo(stored.collection, marked)) {
    const last = stored.collection === 'pods' ? marked : stored.object;
    if (!options.dryRun) storage.remove(stored.collection, stored, last);
    return { object: last, removed: true };
  }
  if (options.dryRun || marked === stored.object) return { object: marked, removed: false };
  return { object: storage.put(stored.collection, marked).object, removed: false };
}

function requireMortal(kind: ServedKind, { name }: StoredObject): void {
  if (kind.collection !== 'namespaces' || !IMMORTAL_NAMESPACES.includes(name)) return;
  throw forbidden(kind, name, 'this namespace may not be deleted');
}

function markedObject(
  stored: StoredObject,
  options: Pick<DeleteOptions, 'propagation' | 'gracePeriodSeconds'>,
  nowMs: number,
): JsonObject {
  const { object } = stored;
  const finalizers = finalizersFor(stored, options.propagation);
  const sameFinalizers = finalizers.join() === finalizersOf(object).join();
  const graceSeconds = gracePeriodSeconds(stored, options.gracePeriodSeconds);
  const oldGraceSeconds = numberAt(object, 'metadata', 'deletionGracePeriodSeconds');
  if (isTerminating(object) && sameFinalizers && graceSeconds >= (oldGraceSeconds ?? 0)) return object;
  const plain = ['namespaces', CRD_COLLECTION].includes(stored.collection);
  const marked = withMetadata(object, {
    deletionTimestamp: timestamp(nowMs + graceSeconds * 1000),
    deletionGracePeriodSeconds: plain ? undefined : graceSeconds,
    generation: plain || isTerminating(object) ? generationOf(object) : nextGeneration(object),
    finalizers,
  });
  if (stored.collection === CRD_COLLECTION) return withTerminatingCondition(marked, timestamp(nowMs));
  return stored.collection === 'namespaces' ? withAt(marked, ['status', 'phase'], 'Terminating') : marked;
}

function generationOf(object: JsonObject): number | undefined {
  return numberAt(object, 'metadata', 'generation');
}

function nextGeneration(object: JsonObject): number | undefined {
  const generation = generationOf(object);
  return generation === undefined ? undefined : generation + 1;
}

const CRD_COLLECTION = 'customresourcedefinitions.apiextensions.k8s.io';

/** The finalizer that keeps a CustomResourceDefinition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

function withTerminatingCondition(definition: JsonObject, since: string): JsonObject {
  const condition = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: since,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return withAt(definition, ['status', 'conditions'], [...arrayAt(definition, 'status', 'conditions'), condition]);
}

// Deleting one of these orphans its dependents by default.
const ORPHANING = ['replicationcontrollers', 'jobs.batch'];

function finalizersFor({ collection, object }: StoredObject, propagation: Propagation | undefined): readonly string[] {
  const finalizers = finalizersOf(object);
  if (collection === CRD_COLLECTION) {
    return finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER];
  }
  const decided = finalizers.some((finalizer) => finalizer === 'orphan' || finalizer === 'foregroundDeletion');
  const effective = propagation ?? (!decided && ORPHANING.includes(collection) ? 'Orphan' : undefined);
  if (effective === undefined) return finalizers;
  const others = finalizers.filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion');
  if (effective === 'Orphan') return [...others, 'orphan'];
  return effective === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

/** Only a pod that has a node and has not ended gets a grace period: no kubelet would end any other. */
function gracePeriodSeconds({ collection, object }: StoredObject, asked: number | undefined): number {
  if (collection !== 'pods') return 0;
  const ended = ['Succeeded', 'Failed'].includes(textAt(object, 'status', 'phase'));
  if (textAt(object, 'spec', 'nodeName') === '' || ended) return 0;
  return asked ?? numberAt(object, 'spec', 'terminationGracePeriodSeconds') ?? 30;
}
