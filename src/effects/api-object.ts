import { isExactNumber } from '../lib/exact-json.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import type { KindReference } from '../kube/kind.ts';
import type { ApplyOperation, CreateOperation } from './operation.ts';

const SERVER_FIELDS: ReadonlySet<string> = new Set(['resourceVersion', 'uid', 'managedFields']);

/** The object without the metadata that the server sets, so that a hook can send back an object from a snapshot. */
export function withoutServerFields(object: JsonObject): JsonObject {
  const metadata = Object.entries(metadataOf(object)).filter(([key]) => !SERVER_FIELDS.has(key));
  return { ...object, metadata: Object.fromEntries(metadata) };
}

/**
 * The object of an operation as it is sent: without the metadata that the server sets, and with the version and kind that
 * it lacks, but those of a subresource may be others.
 */
export function objectToSend(operation: CreateOperation | ApplyOperation, kind: KindReference): JsonObject {
  const object = withoutServerFields(operation.object);
  const { apiVersion } = kind;
  const isWhole = operation.subresource === undefined && apiVersion !== undefined;
  return isWhole ? { apiVersion, kind: kind.kind, ...object } : object;
}

export function withVersion(object: JsonObject, resourceVersion: string): JsonObject {
  return { ...object, metadata: { ...metadataOf(object), resourceVersion } };
}

export function versionOf(object: unknown): string {
  return textOf(metadataOf(object)['resourceVersion']);
}

/** The `metadata.generation` of an object; 0 when there is none. */
export function generationOf(object: unknown): number {
  const { generation } = metadataOf(object);
  return typeof generation === 'number' ? generation : 0;
}

/** The `metadata.uid` of an object; empty when there is none. */
export function uidOf(object: unknown): string {
  return textOf(metadataOf(object)['uid']);
}

export function finalizersOf(object: unknown): readonly string[] {
  const { finalizers } = metadataOf(object);
  return Array.isArray(finalizers) ? finalizers.map(String) : [];
}

/** Whether `live` has every field of `wanted` with the same value; it may have more, such as defaults and a status. */
export function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(live) && live.length === wanted.length && wanted.every((item, at) => covers(live[at], item));
  }
  // An exact number, which the answer of the server has rounded.
  if (isExactNumber(wanted)) return live === Number(JSON.stringify(wanted));
  if (!isObject(wanted)) return live === wanted;
  return isObject(live) && Object.entries(wanted).every(([key, value]) => covers(live[key], value));
}

export function metadataOf(object: unknown): JsonObject {
  return isObject(object) && isObject(object['metadata']) ? object['metadata'] : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
