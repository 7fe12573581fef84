import { asJsonObject, copyBytes, malformed, parseJson, readObject, text, type KubeObject } from '../object.ts';
import { memberRange } from './json-ranges.ts';
import { shown } from '../../lib/shown.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { statusObjectError } from '../status-error.ts';

/**
 * One line of a watch: an object was added or modified, an object was deleted, or nothing changed up to this version.
 */
export type WatchFrame =
  | { readonly type: 'Apply'; readonly object: KubeObject }
  | { readonly type: 'Delete'; readonly object: KubeObject }
  | { readonly type: 'Bookmark'; readonly resourceVersion: string; readonly isInitialEventsEnd: boolean };

const CLOSE_BRACE = 0x7d;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Parses a watch line; throws the error of an `ERROR` line, which is `ResourceExpiredError` for a 410. */
export function readFrame(line: Uint8Array): WatchFrame {
  const frame = asJsonObject(parseJson(line));
  const type = text(frame['type']);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { type: 'Apply', object: readFrameObject(line, frame) };
    case 'DELETED':
      return { type: 'Delete', object: readFrameObject(line, frame) };
    case 'BOOKMARK':
      return readBookmark(frame['object']);
    case 'ERROR':
      throw statusObjectError('the API server ended the watch', frame['object']);
    default:
      throw malformed('a watch line of unknown type', { excerpt: shown(type) });
  }
}

function readFrameObject(line: Uint8Array, frame: JsonObject): KubeObject {
  const value = frame['object'];
  return readObject(value, () => {
    const prefix = `{"type":"${text(frame['type'])}","object":{`;
    const end = trimmedLength(line) - 1;
    const isPlain = startsWith(line, prefix) && line[end - 1] === CLOSE_BRACE && Object.keys(frame).length === 2;
    if (isPlain) return copyBytes(line, prefix.length - 1, end);
    // The members are in another order, or there is white space between them.
    const { start, end: objectEnd } = memberRange(line, 'object') ?? { start: 0, end: 0 };
    return copyBytes(line, start, objectEnd);
  });
}

function readBookmark(value: unknown): WatchFrame {
  const metadata = asJsonObject(asJsonObject(value)['metadata']);
  const annotations = asJsonObject(metadata['annotations']);
  return {
    type: 'Bookmark',
    resourceVersion: text(metadata['resourceVersion']),
    isInitialEventsEnd: annotations[INITIAL_EVENTS_END] === 'true',
  };
}

function startsWith(line: Uint8Array, prefix: string): boolean {
  if (line.length < prefix.length) return false;
  for (let index = 0; index < prefix.length; index++) if (line[index] !== prefix.charCodeAt(index)) return false;
  return true;
}

/** The length of `line` without trailing white space. */
function trimmedLength(line: Uint8Array): number {
  let length = line.length;
  while (length > 0 && (line[length - 1] ?? 0) <= 0x20) length--;
  return length;
}
