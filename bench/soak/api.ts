import { Agent, request } from 'node:https';

/** A JSON object of unknown shape. */
export type Json = Readonly<Record<string, unknown>>;

export interface ApiAnswer {
  readonly status: number;
  readonly body: Json;
}

/** The API server itself, bypassing the faults. */
export interface Api {
  /** Rejects when there was no answer: the request may or may not have been carried out. */
  call(method: string, path: string, body?: Json, contentType?: string): Promise<ApiAnswer>;
  close(): void;
}

export interface ApiOptions {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** The limit for an answer; default 10 s. */
  readonly timeLimitMs?: number;
}

const TIME_LIMIT_MS = 10_000;

/** A client with a few connections of its own. */
export function connectApi({ url, ca, token, timeLimitMs = TIME_LIMIT_MS }: ApiOptions): Api {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca });
  return {
    async call(method, path, body, contentType = 'application/json') {
      const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(text !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
      };
      const sending = request(url + path, { method, agent, headers, timeout: timeLimitMs });
      sending.on('timeout', () => sending.destroy(new Error('no answer in time')));
      sending.on('error', reject);
      sending.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          if (response.complete) resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks)) });
          else reject(new Error('the answer is not whole'));
        });
      });
      sending.end(text);
      return promise;
    },
    close: () => agent.destroy(),
  };
}

function parse(text: Buffer): Json {
  try {
    return asJson(JSON.parse(text.toString()));
  } catch {
    return {};
  }
}

/** The value if it is an object, else an empty object. */
export function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Identifies a version of an object. */
export interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
}

export function versionOf(object: unknown): Version {
  const { uid, resourceVersion } = asJson(asJson(object)['metadata']);
  return { uid: String(uid), resourceVersion: String(resourceVersion) };
}
