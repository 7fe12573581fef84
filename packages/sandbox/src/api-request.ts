import type { JsonValue } from './json.ts';
import type { ServedKind } from './kind.ts';

/** One HTTP request, read whole. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: { readonly [name: string]: string | undefined };
  /** Text; protobuf comes with one character for each byte. */
  readonly body: string;
  /** Where a fault asks for it, lists are served as of this revision. */
  readonly staleRevision?: number;
}

/** What a request for a resource is aimed at. */
export interface Target {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** What is answered: a document, a text, bytes, or a stream that stays open. */
export type Reply =
  | { readonly type: 'json'; readonly code: number; readonly value: JsonValue; readonly headers?: ReplyHeaders }
  | { readonly type: 'text'; readonly code: number; readonly contentType: string; readonly chunks: Iterable<string> }
  | { readonly type: 'bytes'; readonly code: number; readonly contentType: string; readonly bytes: Buffer }
  | { readonly type: 'stream'; readonly open: (sink: WatchSink) => void };

/** Headers beside Content-Type. */
export type ReplyHeaders = { readonly [name: string]: string };

/** Where a watch writes its lines. */
export interface WatchSink {
  write(line: string | Buffer, kind: 'event' | 'bookmark'): void;
  end(): void;
  /** Calls `listener` once, when the client is gone or the stream has ended. */
  onClose(listener: () => void): void;
}

/** A JSON document as an answer. */
export function json(value: JsonValue, code = 200): Reply {
  return { type: 'json', code, value };
}
