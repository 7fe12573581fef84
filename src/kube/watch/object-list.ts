import {
  type JsonRange,
  OPEN_BRACE,
  CLOSE_BRACE,
  OPEN_BRACKET,
  CLOSE_BRACKET,
  skipColon,
  skipComma,
  skipSpace,
  skipString,
  skipValue,
} from './json-ranges.ts';
import { asJsonObject, copyBytes, malformed, parseJson, readObject, text, type KubeObject } from '../object.ts';

/** A list response, split into its items without parsing them. */
export interface ObjectList {
  readonly resourceVersion: string;
  /** Where the next page starts; empty on the last one. */
  readonly continueToken: string;
  /** The selector of the slice that the server sent, as it echoes it; undefined for a list of all objects. */
  readonly shardSelector: string | undefined;
  readonly items: readonly JsonRange[];
}

/** The fields that typed lists omit from their items. */
export interface ItemType {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Finds the items of a list response in one pass over its bytes; parses only its metadata. Throws `KubeError` for
 * anything that is not a list.
 */
export function scanList(json: Uint8Array): ObjectList {
  const items: JsonRange[] = [];
  let metadata = asJsonObject(undefined);
  let at = skipSpace(json, 0);
  if (json[at] !== OPEN_BRACE) throw malformed('a list that is not a JSON object');
  at = skipSpace(json, at + 1);
  while (json[at] !== CLOSE_BRACE) {
    const keyEnd = skipString(json, at);
    const key = text(parseJson(json, at, keyEnd));
    const start = skipColon(json, keyEnd);
    const end = key === 'items' ? skipItems(json, start, items) : skipValue(json, start);
    if (key === 'metadata') metadata = asJsonObject(parseJson(json, start, end));
    // A Table has rows instead of items: read as an empty list it would delete everything.
    if (key === 'kind' && parseJson(json, start, end) === 'Table')
      throw malformed('a Table where a list was asked for');
    at = skipComma(json, end);
  }
  const { selector } = asJsonObject(metadata['shardInfo']);
  return {
    resourceVersion: text(metadata['resourceVersion']),
    continueToken: text(metadata['continue']),
    shardSelector: typeof selector === 'string' ? selector : undefined,
    items,
  };
}

/** Parses one item, and adds the `apiVersion` and `kind` that a typed list omits. */
export function readItem(json: Uint8Array, { start, end }: JsonRange, type: ItemType): KubeObject {
  const item = asJsonObject(parseJson(json, start, end));
  if (typeof item['kind'] === 'string' && typeof item['apiVersion'] === 'string') {
    return readObject(item, () => copyBytes(json, start, end));
  }
  const { apiVersion, kind } = type;
  return readObject({ kind, apiVersion, ...item }, () => {
    const prefix = Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
    const copy = new Uint8Array(prefix.length + end - start - 1);
    copy.set(prefix);
    copy.set(json.subarray(start + 1, end), prefix.length);
    return copy;
  });
}

/**
 * Adds the ranges of the elements of the array at `start` to `items`, and returns its end; Go encodes an empty list as
 * `null`.
 */
function skipItems(json: Uint8Array, start: number, items: JsonRange[]): number {
  if (json[start] !== OPEN_BRACKET) return skipValue(json, start);
  let at = skipSpace(json, start + 1);
  while (json[at] !== CLOSE_BRACKET) {
    const end = skipValue(json, at);
    items.push({ start: at, end });
    at = skipComma(json, end);
  }
  return at + 1;
}
