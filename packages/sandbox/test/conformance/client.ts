import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createInterface } from 'node:readline';

/** An API server to talk to, and who one is there. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
  readonly ca?: string;
}

/** What the server answered. `body` is what it sent, looked into unchecked: a law expects what it finds there. */
export interface Answer {
  readonly status: number;
  readonly body: Loose;
  readonly text: string;
  /** The texts of its `Warning` headers, as they were sent. */
  readonly warnings: readonly string[];
}

/** A JSON value whose members may be looked into without asking first; what is absent is absent at every depth. */
export interface Loose {
  readonly [member: string]: Loose;
  readonly [index: number]: Loose;
}

/** A string that the server sent; anything else is the empty string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** One event of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: Loose;
}

/** How a request departs from plain JSON as the usual user. */
export interface SendOptions {
  readonly contentType?: string;
  readonly accept?: string;
  readonly token?: string;
}

/** A thin client: it sends what it is told, and hands back what came. */
export interface Client {
  get(path: string, options?: SendOptions): Promise<Answer>;
  post(path: string, body: unknown, options?: SendOptions): Promise<Answer>;
  put(path: string, body: unknown, options?: SendOptions): Promise<Answer>;
  patch(path: string, contentType: PatchType, body: unknown): Promise<Answer>;
  delete(path: string, body?: unknown): Promise<Answer>;
  /** The events of a watch until the server ends it, `signal` aborts, or the reader stops. */
  watch(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent>;
}

/** The content types of patches. */
export const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A kind of patch. */
export type PatchType = keyof typeof PATCH_TYPES;

/** A client for an API server. */
export function connect(endpoint: Endpoint): Client {
  const send = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const response = await open(endpoint, method, path, sent);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString('utf8');
    const warnings = response.headersDistinct['warning'] ?? [];
    return { status: response.statusCode ?? 0, text, body: parse(text), warnings };
  };
  return {
    get: (path, options) => send('GET', path, { ...options }),
    post: (path, body, options) => send('POST', path, { body, ...options }),
    put: (path, body, options) => send('PUT', path, { body, ...options }),
    patch: (path, type, body) => send('PATCH', path, { body, contentType: PATCH_TYPES[type] }),
    delete: (path, body) => send('DELETE', path, { body }),
    watch: (path, signal) => watch(endpoint, path, signal),
  };
}

interface Sent extends SendOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

async function open(endpoint: Endpoint, method: string, path: string, sent: Sent): Promise<IncomingMessage> {
  const { body, contentType = 'application/json', accept = 'application/json', signal } = sent;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = endpoint.url.startsWith('https:') ? requestHttps : requestHttp;
  const sending = request(endpoint.url, {
    method,
    // As it is: a URL would resolve `..` in it.
    path,
    agent: false,
    headers: {
      accept,
      authorization: `Bearer ${sent.token ?? endpoint.token}`,
      'user-agent': 'conformance/1',
      ...(text !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
    },
    ...(endpoint.ca !== undefined && { ca: endpoint.ca }),
    ...(signal !== undefined && { signal }),
  });
  sending.on('response', resolve);
  sending.on('error', reject);
  sending.end(text);
  return promise;
}

function parse(text: string): Loose {
  try {
    return JSON.parse(text) as Loose;
  } catch {
    return {};
  }
}

async function* watch(endpoint: Endpoint, path: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
  const response = await open(endpoint, 'GET', path, { signal });
  try {
    for await (const line of createInterface({ input: response })) {
      if (line !== '') yield JSON.parse(line) as WatchEvent;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    response.destroy();
  }
}
