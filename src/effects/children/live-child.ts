import { groupOfVersion } from '../../hook/reconcile-mark.ts';
import { metadataOf, uidOf, versionOf } from '../api-object.ts';
import { APPLIED_ANNOTATION, BINDING_LABEL, canReference, PARENT_LABEL, type Marks, type Parent } from './marks.ts';
import { readinessOf, type Readiness } from './readiness.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';

/**
 * What has to be known of an object that is there, to decide whether it is a child and what becomes of it. It is made
 * when the object is seen, so the object itself need not be kept.
 */
export interface LiveChild {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isDeleting: boolean;
  /** The values of the labels of children; empty where there is none. */
  readonly bindingLabel: string;
  readonly parentLabel: string;
  readonly ownerUids: readonly string[];
  /** The hash of what was applied last; empty where there is none. */
  readonly appliedHash: string;
  /** The fields that the binding's field manager has by an apply, as `fieldsV1`; absent when it has applied nothing. */
  readonly fields?: JsonObject;
  readonly readiness: Readiness;
}

/** Reads an object, as the server sent it or parsed. */
export function readLiveChild(source: Uint8Array | JsonObject, { fieldManager }: Marks): LiveChild {
  const object = source instanceof Uint8Array ? parsed(source) : source;
  const metadata = metadataOf(object);
  const labels = recordOf(metadata['labels']);
  const owners = Array.isArray(metadata['ownerReferences']) ? metadata['ownerReferences'] : [];
  const fields = appliedFields(metadata['managedFields'], fieldManager);
  return {
    apiVersion: textOf(object['apiVersion']),
    kind: textOf(object['kind']),
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    uid: uidOf(object),
    resourceVersion: versionOf(object),
    isDeleting: textOf(metadata['deletionTimestamp']) !== '',
    bindingLabel: textOf(labels[BINDING_LABEL]),
    parentLabel: textOf(labels[PARENT_LABEL]),
    ownerUids: owners.map((owner: unknown) => (isObject(owner) ? textOf(owner['uid']) : '')),
    appliedHash: textOf(recordOf(metadata['annotations'])[APPLIED_ANNOTATION]),
    ...(fields !== undefined && { fields }),
    readiness: readinessOf(object),
  };
}

/**
 * Whether an object is a child that the binding made for the parent. A copy of a child, made by somebody else, is none:
 * only an apply of ours leaves fields of our field manager.
 */
export function isOurs(child: LiveChild, parent: Parent, marks: Marks): boolean {
  return (
    child.bindingLabel === marks.binding &&
    child.parentLabel === parent.uid &&
    child.fields !== undefined &&
    (child.ownerUids.includes(parent.uid) || !canReference(parent, child.namespace))
  );
}

/** One text for each object: equal for the same group, kind, namespace and name. */
export function keyOf({ apiVersion, kind, namespace, name }: Named): string {
  return `${groupOfVersion(apiVersion)}/${kind}/${namespace}/${name}`;
}

/** An object by kind and name; the namespace is empty for a cluster-scoped one. */
export interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `Deployment/web`, or `Deployment/shop/web` for a child that is not in the parent's namespace. */
export function nameOfChild({ kind, namespace, name }: Named, parent: Pick<Parent, 'namespace'>): string {
  return namespace === '' || namespace === parent.namespace ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

function appliedFields(managedFields: unknown, fieldManager: string): JsonObject | undefined {
  if (!Array.isArray(managedFields)) return undefined;
  const entry: unknown = managedFields.find(
    (candidate: unknown) =>
      isObject(candidate) &&
      candidate['manager'] === fieldManager &&
      candidate['operation'] === 'Apply' &&
      textOf(candidate['subresource']) === '',
  );
  return isObject(entry) ? recordOf(entry['fieldsV1']) : undefined;
}

function parsed(bytes: Uint8Array): JsonObject {
  const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  return recordOf(value);
}

function recordOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
