import { at, objectAt, objectsAt, present, textAt, textsAt, without } from './json-fields.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** `metadata.name`, or an empty string. */
export function nameOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'name');
}

/** `metadata.namespace`, or an empty string. */
export function namespaceOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'namespace');
}

/** `metadata.uid`, or an empty string. */
export function uidOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'uid');
}

/** `metadata.resourceVersion`, or an empty string. */
export function resourceVersionOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'resourceVersion');
}

/** `metadata.labels`. */
export function labelsOf(object: JsonObject): JsonObject {
  return objectAt(object, 'metadata', 'labels');
}

/** `metadata.finalizers`. */
export function finalizersOf(object: JsonObject): readonly string[] {
  return textsAt(object, 'metadata', 'finalizers');
}

/** `metadata.ownerReferences`. */
export function ownerReferencesOf(object: JsonObject): readonly JsonObject[] {
  return objectsAt(object, 'metadata', 'ownerReferences');
}

/** Whether `metadata.deletionTimestamp` is set. */
export function isTerminating(object: JsonObject): boolean {
  return textAt(object, 'metadata', 'deletionTimestamp') !== '';
}

/** Returns a copy of `object` with `changes` applied to its metadata; undefined removes a field. */
export function withMetadata(
  object: JsonObject,
  changes: { readonly [field: string]: JsonValue | undefined },
): JsonObject {
  return arranged({ ...object, metadata: present({ ...objectAt(object, 'metadata'), ...changes }) });
}

const METADATA_FIELDS = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

/** Returns a copy of `object` with its fields in the API server's order; unknown metadata fields are dropped. */
export function arranged(object: JsonObject): JsonObject {
  const metadata: { [name: string]: JsonValue } = {};
  for (const name of METADATA_FIELDS) {
    const value = at(object, 'metadata', name);
    if (value !== undefined && value !== null && !isEmptyCollection(value)) metadata[name] = value;
  }
  return {
    kind: textAt(object, 'kind'),
    apiVersion: textAt(object, 'apiVersion'),
    metadata,
    ...without(object, 'kind', 'apiVersion', 'metadata'),
  };
}

function isEmptyCollection(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Formats a time as Kubernetes does: RFC 3339, whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
