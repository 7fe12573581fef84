import { KubeError } from '../errors.ts';
import { shown, shownText } from '../lib/shown.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

const MAX_SHOWN = 200;

/**
 * One object as the server sent it. It is valid only while its event is handled; `json()` returns a copy that may be
 * kept.
 */
export interface KubeObject {
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  /** Empty for aggregated APIs that set none. */
  readonly uid: string;
  readonly resourceVersion: string;
  /** The parsed object. It is shared: read it, but do not keep or change it. */
  readonly value: JsonObject;
  /** The object's JSON in UTF-8, in a buffer of its own; created by the first call. */
  json(): Uint8Array;
}

/**
 * Reads the identity of an object from its metadata; `copyJson` makes the private copy of its JSON. Throws for an
 * object without a name.
 */
export function readObject(value: unknown, copyJson: () => Uint8Array): KubeObject {
  const object = asJsonObject(value);
  const metadata = asJsonObject(object['metadata']);
  const name = text(metadata['name']);
  if (name === '') throw malformed('an object without metadata.name', { excerpt: shown(value, MAX_SHOWN) });
  let copy: Uint8Array | undefined;
  return {
    namespace: text(metadata['namespace']),
    name,
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    value: object,
    json: () => (copy ??= copyJson()),
  };
}

/** Returns `value` if it is an object, else an empty object. */
export function asJsonObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns `value` if it is a string, else an empty string. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The error for a response that violates the API. The excerpt may be part of a Secret: it is only for the log. */
export function malformed(problem: string, { excerpt, ...options }: MalformedOptions = {}): KubeError {
  const summary = `the API server sent ${problem}`;
  const message = excerpt === undefined ? summary : `${summary}: ${excerpt}`;
  return new KubeError(message, { status: 0, reason: 'Malformed', summary }, options);
}

interface MalformedOptions extends ErrorOptions {
  readonly excerpt?: string;
}

/** Copies a part of `bytes` into a buffer of exactly its size, so that keeping it keeps nothing else alive. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - start);
  copy.set(bytes.subarray(start, end));
  return copy;
}

/** Parses a part of `bytes` as JSON. */
export function parseJson(bytes: Uint8Array, start = 0, end = bytes.length): unknown {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
  try {
    return JSON.parse(json);
  } catch (error) {
    throw malformed('something that is not JSON', { excerpt: shownText(json, MAX_SHOWN), cause: error });
  }
}
