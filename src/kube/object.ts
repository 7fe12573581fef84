import { KubeError } from '../errors.ts';
import { shown, shownText } from '../lib/shown.ts';

const MAX_SHOWN = 200;

/** One object as the server sent it. It is valid while its event is handled; `json()` makes the copy to keep. */
export interface KubeObject {
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  /** Empty where the server gives none, as some aggregated APIs do. */
  readonly uid: string;
  readonly resourceVersion: string;
  /** The parsed object, shared by all that look at it: read it, do not keep or change it. */
  readonly value: JsonObject;
  /** The object's JSON text in UTF-8 in a buffer of its own; made at the first call and the same at each later one. */
  json(): Uint8Array;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads what identifies an object from its metadata; `copyJson` makes the private copy of its text. */
export function readObject(value: unknown, copyJson: () => Uint8Array): KubeObject {
  const object = asJsonObject(value);
  const metadata = asJsonObject(object['metadata']);
  const name = text(metadata['name']);
  if (name === '') throw malformed(`an object without metadata.name: ${shown(value, MAX_SHOWN)}`);
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

/** `value` as an object; anything else reads as an object without members. */
export function asJsonObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** `value` if it is a string, else the empty string. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The error for an answer that is not what the API promises. */
export function malformed(problem: string, options?: ErrorOptions): KubeError {
  return new KubeError(`the API server sent ${problem}`, { status: 0, reason: 'Malformed' }, options);
}

/** A copy of a part of `bytes` in a buffer of exactly its size, so that keeping it keeps nothing else alive. */
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
    throw malformed(`something that is not JSON: ${shownText(json, MAX_SHOWN)}`, { cause: error });
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
