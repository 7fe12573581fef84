import type { JsonValue } from './json.ts';
import type { ServedKind } from './kind.ts';

/** One HTTP request with its whole body. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: { readonly [name: string]: string | undefined };
  /** As text; a protobuf body has one character per byte (latin1). */
  readonly body: string;
  /** Set by a fault: lists are served as of this revision. */
  readonly staleRevision?: number;
  /** Who asks, as `callerOf` named the token; absent without a token. */
  readonly caller?: string;
}

/** The resource that a request addresses. */
export interface Target {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The answer to a request: a JSON document, text, bytes, or a stream that stays open. */
export type Reply =
  | { readonly type: 'json'; readonly code: number; readonly value: JsonValue; readonly headers?: ReplyHeaders }
  | {
      readonly type: 'text';
      readonly code: number;
      readonly contentType: string;
      readonly chunks: Iterable<string>;
      readonly headers?: ReplyHeaders;
    }
  | { readonly type: 'bytes'; readonly code: number; readonly contentType: string; readonly bytes: Buffer }
  | { readonly type: 'stream'; readonly open: (sink: WatchSink) => void };

/** Response headers besides Content-Type. */
export type ReplyHeaders = { readonly [name: string]: string | readonly string[] };

/** The receiver of the lines of a watch. */
export interface WatchSink {
  write(line: string | Buffer, kind: 'event' | 'bookmark'): void;
  end(): void;
  /** Calls `listener` once, when the client has disconnected or the stream has ended. */
  onClose(listener: () => void): void;
}

/** Returns a JSON document as the answer. */
export function json(value: JsonValue, code = 200): Reply {
  return { type: 'json', code, value };
}
