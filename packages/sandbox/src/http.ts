import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ApiRequest, Reply } from './api-request.ts';
import { Exchange } from './exchange.ts';
import { Faults, matchesRequest, type RequestMatcher } from './faults.ts';
import { isTrue } from './list-options.ts';
import { isProtobuf } from './protobuf/envelope.ts';
import { LocalPort, type LocalResponse, type ResponsePort } from './response-port.ts';
import { MAX_BODY_BYTES, readRequestBody } from './request-body.ts';
import { splitTarget } from './request-target.ts';
import { settling } from './until.ts';
import { StatusError } from './status-error.ts';

/** One request that was served. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly watch: boolean;
  readonly userAgent: string;
  /** The status code of the answer; 0 if none was sent, for example because of a fault. */
  readonly status: number;
}

/** A request without a socket; the names of headers are in lower case. */
export interface LocalRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: ApiRequest['headers'];
  readonly body?: string | Uint8Array;
}

const RECORD_LIMIT = 20_000;
/** At most this much of a path, a query and a user agent is recorded. */
const RECORD_CHARACTERS = 2000;
const MAX_CONNECTIONS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** The HTTP server: reads requests, has them answered, and applies faults to open connections. */
export class HttpSide {
  readonly faults: Faults;
  readonly server: Server;
  readonly #answer: (exchange: Exchange) => Promise<void>;
  readonly #open = new Set<Exchange>();
  readonly #records: Entry[] = [];
  #reading = 0;

  constructor(answer: (exchange: Exchange) => Promise<void>) {
    this.#answer = answer;
    this.faults = new Faults((fault, strikes) => {
      for (const exchange of this.#matching(fault)) {
        if (fault.type === 'silence' && strikes()) exchange.silence();
        if (fault.type === 'watchError' && exchange.watch && strikes()) exchange.fail(fault.code, fault.message);
      }
    });
    this.server = createServer((incoming, response) => {
      this.#receive(incoming, response).catch((error: unknown) => response.destroy(asError(error)));
    });
    // A connection in a client's pool must not be closed just as the client sends a request.
    this.server.keepAliveTimeout = 120_000;
    // Limits the time in which a request arrives, not the time of its answer: watches stay open.
    this.server.requestTimeout = REQUEST_TIMEOUT_MS;
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** The number of requests that are not answered yet; watches, silenced and delayed ones left out. */
  get unanswered(): number {
    let count = this.#reading;
    for (const { watch, isSilent, closed, delayed } of this.#open) {
      if (!watch && !isSilent && !closed && delayed === undefined) count += 1;
    }
    return count;
  }

  /** Who waits for answers that a fault delays, once for each; watches left out. */
  get delayed(): readonly string[] {
    const waiting = [...this.#open].filter(({ watch, closed }) => !watch && !closed);
    return waiting.flatMap(({ delayed }) => delayed ?? []);
  }

  /** Serves a request without a socket as one with; rejects as a client does whose connection is lost. */
  async send({ method, path, headers = {}, body }: LocalRequest, signal?: AbortSignal): Promise<LocalResponse> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = settling<LocalResponse>();
    const port = new LocalPort((settled) => (settled instanceof Error ? reject(settled) : resolve(settled)));
    const abort = (): void => {
      port.cancel();
      reject(asError(signal?.reason));
    };
    signal?.addEventListener('abort', abort, { once: true });
    port.once('close', () => signal?.removeEventListener('abort', abort));
    const request = { method, ...splitTarget(path), headers, body: textOf(Buffer.from(body ?? ''), headers) };
    this.#serve(request, port).catch((error: unknown) => {
      port.destroy();
      reject(asError(error));
    });
    return promise;
  }

  /** The served requests, oldest first. */
  get records(): readonly RequestRecord[] {
    return this.#records.map(({ record, exchange }) => ({ ...record, status: exchange?.code ?? record.status }));
  }

  clearRecords(): void {
    this.#records.length = 0;
  }

  /** Closes the connections of the open watches that match; returns how many there were. */
  dropWatches(matcher: RequestMatcher): number {
    const dropped = this.#matching(matcher).filter((exchange) => exchange.watch);
    for (const exchange of dropped) exchange.destroy();
    return dropped.length;
  }

  #matching(matcher: RequestMatcher): readonly Exchange[] {
    return [...this.#open].filter((exchange) => matchesRequest(matcher, exchange.request, exchange.watch));
  }

  async #receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#reading += 1;
    let body: Buffer | undefined;
    try {
      body = await readRequestBody(incoming);
    } finally {
      this.#reading -= 1;
    }
    await this.#serve(toRequest(incoming, body ?? Buffer.alloc(0)), response, body === undefined);
  }

  async #serve(request: ApiRequest, response: ResponsePort, isTooLarge = false): Promise<void> {
    const watch = isWatch(request);
    const exchange = new Exchange(request, watch, response, this.faults);
    this.#record(exchange);
    this.#open.add(exchange);
    exchange.onClose(() => this.#open.delete(exchange));
    if (isTooLarge) await sendReply(exchange, tooLarge());
    else await this.#answer(exchange);
  }

  #record(exchange: Exchange): void {
    const { method, path, query, headers } = exchange.request;
    const userAgent = headers['user-agent'] ?? '';
    const record = {
      method,
      path: path.slice(0, RECORD_CHARACTERS),
      query: query.toString().slice(0, RECORD_CHARACTERS),
      watch: exchange.watch,
      userAgent: userAgent.slice(0, RECORD_CHARACTERS),
      status: 0,
    };
    const entry: Entry = { record, exchange };
    this.#records.push(entry);
    if (this.#records.length > RECORD_LIMIT) this.#records.splice(0, RECORD_LIMIT / 2);
    exchange.onClose(() => {
      entry.record = { ...record, status: exchange.code };
      entry.exchange = undefined;
    });
  }
}

/** A record; the exchange, which is large, is kept only while it is open. */
interface Entry {
  record: RequestRecord;
  exchange: Exchange | undefined;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function isWatch(request: ApiRequest): boolean {
  return request.method === 'GET' && (isTrue(request.query.get('watch')) || /\/v[^/]+\/watch\//.test(request.path));
}

function tooLarge(): Reply {
  const message = `Request entity too large: limit is ${MAX_BODY_BYTES}`;
  const { code, status } = new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
  return { type: 'json', code, value: status, headers: { Connection: 'close' } };
}

function toRequest(incoming: IncomingMessage, body: Buffer): ApiRequest {
  const { path, query } = splitTarget(incoming.url ?? '/');
  const headers: { [name: string]: string | undefined } = {};
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join() : value;
  return {
    method: incoming.method ?? 'GET',
    path,
    query,
    headers,
    body: textOf(body, headers),
  };
}

function textOf(body: Buffer, headers: ApiRequest['headers']): string {
  return body.toString(isProtobuf(headers['content-type']) ? 'latin1' : 'utf8');
}

const BATCH_CHARACTERS = 256 * 1024;

/** Sends a reply on an exchange. */
export async function sendReply(exchange: Exchange, reply: Reply): Promise<void> {
  switch (reply.type) {
    case 'json':
      exchange.start(reply.code, 'application/json', reply.headers);
      exchange.send(jsonText(exchange.request, reply.value));
      exchange.end();
      return;
    case 'text':
      exchange.start(reply.code, reply.contentType, reply.headers);
      await sendChunks(exchange, printed(exchange.request, reply));
      exchange.end();
      return;
    case 'bytes':
      exchange.start(reply.code, reply.contentType);
      exchange.send(reply.bytes);
      exchange.end();
      return;
    case 'stream':
      exchange.start(200, 'application/json');
      reply.open(exchange);
  }
}

function printed(request: ApiRequest, { chunks, contentType }: Extract<Reply, { type: 'text' }>): Iterable<string> {
  if (!contentType.startsWith('application/json') || !isPretty(request)) return chunks;
  return [jsonText(request, JSON.parse([...chunks].join('')))];
}

function jsonText(request: ApiRequest, value: unknown): string {
  return `${isPretty(request) ? JSON.stringify(value, null, 2) : JSON.stringify(value)}\n`;
}

/** Whether the JSON is indented: if the query asks for it, or if the client looks like one that a person uses. */
function isPretty({ query, headers }: ApiRequest): boolean {
  if (query.has('pretty')) return isTrue(query.get('pretty'));
  return /^(?:curl|Wget|Mozilla)\//.test(headers['user-agent'] ?? '');
}

async function sendChunks(exchange: Exchange, chunks: Iterable<string>): Promise<void> {
  let batch = '';
  for (const chunk of chunks) {
    batch += chunk;
    if (batch.length < BATCH_CHARACTERS) continue;
    if (!exchange.send(batch)) await exchange.drained();
    if (exchange.closed) return;
    batch = '';
  }
  if (batch !== '') exchange.send(batch);
}
