import type { IncomingHttpHeaders } from 'node:http';
import { clientSource } from '../lib/client-source.ts';
import { within } from '../lib/deadline.ts';
import type { ServerBounds } from './bounds.ts';
import { IncomingBodies, type IncomingBody } from './incoming-bodies.ts';
import { BodyError, type BodyLimits } from './request-body.ts';
import { RequestSlots } from './request-slots.ts';

/** A request without its body. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The requested host, as the client wrote it. */
  readonly host: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The client, for limits by source; see `clientSource`. */
  readonly source: string;
}

/** A request with its body. */
export interface HttpRequest extends RequestHead {
  /** Empty when the route reads no body. */
  readonly body: Buffer;
  /** Aborts when the client has disconnected, or when the limit for the answer expires. */
  readonly signal: AbortSignal;
}

/** An answer, in any version of HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** The content type. */
  readonly type: string;
  readonly body: string | Uint8Array;
  /** More of the body, which is neither copied nor kept once it is sent: each piece when the client has read those before. */
  readonly pieces?: readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends more after `body`, with HTTP/1.1, until it resolves; the answer limit of the route must leave it the time. */
  readonly follow?: (sink: AnswerSink) => Promise<void>;
}

/** What is sent after the beginning of an answer. */
export interface AnswerSink {
  /** Sends a piece of the body; returns false when the client has not read what was sent before, which is then dropped. */
  readonly write: (piece: string) => boolean;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** How a kind of request is answered. */
export interface HttpRoute {
  /**
   * Limit of the body; default 0: the route reads none, and the connection is closed after the answer to a request with
   * a body.
   */
  readonly maxBodyBytes?: number;
  /** Whether it is answered also while too many requests run, as a probe must be. Default false. */
  readonly isAlwaysAnswered?: boolean;
  /** Whether the client is one of ours: its connection gives way to none that is not, and may have more requests. Default false. */
  readonly isTrusted?: boolean;
  /** In place of the `answerLimitMs` of the server. */
  readonly answerLimitMs?: number;
  /** In place of the `maxConcurrent` of the server: its requests take no place of others. */
  readonly slots?: Pick<RequestSlots, 'take'>;
  /** Looks at the head before the body is read; the route that it returns answers in place of this one. */
  readonly admit?: (head: RequestHead, signal: AbortSignal) => Promise<HttpRoute>;
  readonly handle: (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;
}

export interface AnsweringOptions {
  /** Returns the route of a request. */
  readonly route: (head: RequestHead) => HttpRoute;
  /** Formats the server's own answers, such as `internal error`. */
  readonly explain: (status: number, text: string) => HttpAnswer;
  /** Called with what a handler has thrown; the client gets a 500. */
  readonly failed: (error: unknown, url: string) => void;
  readonly bounds: ServerBounds;
}

/** A request and the actions on it, for any version of HTTP. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly host: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The address of the client. */
  readonly address: string | undefined;
  readonly hasBody: boolean;
  readonly readBody: (limits: BodyLimits) => Promise<Buffer>;
  /** Discards the body as it arrives. */
  readonly skipBody: () => void;
  /** Sends the answer; after that no unread body is accepted. */
  readonly send: (answer: HttpAnswer) => void;
  /** Trusts the connection from now on. */
  readonly trust: () => void;
  /** Ends the request without an answer. */
  readonly drop: () => void;
}

/** A request whose route is known. */
interface Routed {
  readonly head: RequestHead;
  readonly route: HttpRoute;
  readonly answerLimitMs: number;
}

const NO_BODY = Buffer.alloc(0);
const FREE = (): void => {};

/** Passes requests to their routes, within the bounds. */
export class Answering {
  readonly #options: AnsweringOptions;
  readonly #slots: RequestSlots;
  readonly #bodies: IncomingBodies;

  constructor(options: AnsweringOptions) {
    this.#options = options;
    this.#bodies = new IncomingBodies(options.bounds.bodies ?? {});
    this.#slots = new RequestSlots({ maxRequests: options.bounds.maxConcurrent ?? Infinity });
  }

  /**
   * Answers a request. The caller must call the returned function when the client has received the answer or has
   * disconnected.
   */
  answer(exchange: Exchange): () => void {
    const head = headOf(exchange);
    const route = this.#routeOf(head, exchange.url);
    const { answerLimitMs = this.#options.bounds.answerLimitMs } = route;
    const controller = new AbortController();
    let isHandled = false;
    const limit = setTimeout(() => {
      if (!isHandled) controller.abort(new Error(`no answer within ${answerLimitMs / 1000} s`));
      exchange.drop();
    }, answerLimitMs);
    void this.#answer(exchange, { head, route, answerLimitMs }, controller.signal)
      .catch(exchange.drop)
      .finally(() => (isHandled = true));
    return () => {
      clearTimeout(limit);
      if (!isHandled) controller.abort(new Error('the client has disconnected'));
    };
  }

  #routeOf(head: RequestHead, url: string): HttpRoute {
    const { route, failed, explain } = this.#options;
    try {
      return route(head);
    } catch (error) {
      failed(error, url);
      return { handle: () => explain(500, 'internal error') };
    }
  }

  async #answer(exchange: Exchange, routed: Routed, signal: AbortSignal): Promise<void> {
    const { failed, explain } = this.#options;
    try {
      const answer = await this.#answerOf(exchange, routed, signal);
      if (!signal.aborted && answer !== undefined) exchange.send(answer);
    } catch (error) {
      if (!isAbort(error, signal)) failed(error, exchange.url);
      if (!signal.aborted) exchange.send(explain(500, 'internal error'));
    }
  }

  async #answerOf(exchange: Exchange, routed: Routed, signal: AbortSignal): Promise<HttpAnswer | undefined> {
    const { explain } = this.#options;
    const { head, answerLimitMs } = routed;
    const route = await admitted(exchange, routed, signal);
    const { maxBodyBytes = 0, slots, handle } = route;
    const arriving = slots === undefined ? FREE : slots.take(bytesOf(exchange, maxBodyBytes));
    if (arriving === undefined) return busy(explain(503, 'too many requests at once'));
    let incoming: IncomingBody | undefined;
    let release: (() => void) | undefined;
    try {
      const begin: BodyLimits['begin'] = (refuse) => (incoming = this.#bodies.begin(refuse));
      const body = await this.#bodyOf(exchange, maxBodyBytes, { signal, begin });
      // After the body, so that clients that send slowly keep nobody out.
      release = this.#slotOf(route);
      if (release === undefined) return busy(explain(503, 'too many requests at once'));
      const answer = handle({ ...head, body, signal });
      // A handler that does not end counts as running until the limit, even if its client has disconnected.
      return await within(Promise.resolve(answer), { limitMs: answerLimitMs, late: () => undefined });
    } catch (error) {
      if (error instanceof BodyError) return explain(error.status, error.message);
      throw error;
    } finally {
      release?.();
      incoming?.end();
      arriving();
    }
  }

  /** A slot of the server; requests with slots of their own need none. */
  #slotOf({ isAlwaysAnswered = false, slots }: HttpRoute): (() => void) | undefined {
    return isAlwaysAnswered || slots !== undefined ? FREE : this.#slots.take(0);
  }

  async #bodyOf(
    exchange: Exchange,
    maxBodyBytes: number,
    reading: Pick<BodyLimits, 'signal' | 'begin'>,
  ): Promise<Buffer> {
    const { maxBytes, limitMs } = this.#options.bounds.bodies ?? { maxBytes: 0, limitMs: 0 };
    if (exchange.hasBody && maxBodyBytes > 0) {
      return exchange.readBody({ maxBytes: Math.min(maxBodyBytes, maxBytes), limitMs, ...reading });
    }
    exchange.skipBody();
    return NO_BODY;
  }
}

async function admitted(exchange: Exchange, { head, route }: Routed, signal: AbortSignal): Promise<HttpRoute> {
  const next = route.admit === undefined ? route : await route.admit(head, signal);
  if (next.isTrusted === true) exchange.trust();
  return next;
}

/** How large a body may be, by what its client says and what its route reads. */
function bytesOf({ hasBody, headers }: Exchange, maxBodyBytes: number): number {
  const said = Number(headers['content-length'] ?? Infinity);
  return hasBody ? Math.min(Number.isNaN(said) ? Infinity : said, maxBodyBytes) : 0;
}

function headOf({ method, url, host, headers, address }: Exchange): RequestHead {
  const [path = '/', query = ''] = url.split('?', 2);
  return { method, path, query: new URLSearchParams(query), host, headers, source: clientSource(address) };
}

function busy(answer: HttpAnswer): HttpAnswer {
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
}

/** Whether a handler failed because its signal aborted. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'));
}
