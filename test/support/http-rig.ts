import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { HttpRequest, HttpRoute } from '../../src/server/answering.ts';
import type { BodyBounds, ServerBounds } from '../../src/server/bounds.ts';
import { openHttpServer, type HttpServer, type Listen } from '../../src/server/http-server.ts';
import { createCertificate, type TestCertificate } from './certificate.ts';
import { temporaryFolder } from './hook-rig.ts';

/** The protocols of a client. */
export const KINDS = ['tcp', 'unix', 'tls', 'tls with HTTP/2'] as const;

export type Kind = (typeof KINDS)[number];

export interface HttpRigOptions {
  readonly kind?: Kind;
  readonly bounds?: Partial<ServerBounds>;
  readonly handle?: HttpRoute['handle'];
  readonly maxBodyBytes?: number;
}

export interface TestAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Whether the request stays open, so that more of its body may follow. */
  readonly isOpen?: boolean;
}

/** A request in progress. */
export interface Asking {
  readonly out: ClientRequest | ClientHttp2Stream;
  readonly answer: Promise<TestAnswer>;
}

const BOUNDS: ServerBounds = {
  maxConnections: 8,
  maxPending: 8,
  headersLimitMs: 60_000,
  answerLimitMs: 60_000,
};

const BODIES: BodyBounds = { maxBytes: 1_000_000, limitMs: 60_000 };

/** A server, which is closed with the test, and a matching client. */
export async function httpRig(options: HttpRigOptions = {}) {
  const {
    kind = 'tcp',
    bounds,
    maxBodyBytes = 0,
    handle = () => ({ status: 200, type: 'text/plain', body: 'ok' }),
  } = options;
  const failures: unknown[] = [];
  const certificate = { ...createCertificate() };
  const listen = listenOn(kind, certificate);
  const server = await openHttpServer({
    listen,
    bounds: { ...BOUNDS, ...(maxBodyBytes > 0 && { bodies: BODIES }), ...bounds },
    route: () => ({ maxBodyBytes, handle }),
    explain: (status, text) => ({ status, type: 'text/plain', body: text }),
    failed: (error) => failures.push(error),
    broken: (error) => failures.push(error),
  });
  onTestFinished(async () => server.close());
  const begin = beginner(kind, listen, server, certificate);
  return { server, listen, failures, certificate, begin, ask: async (asked: Asked = {}) => begin(asked).answer };
}

/** A handler that waits until it is released. */
export function heldHandler() {
  const requests: HttpRequest[] = [];
  const held = Promise.withResolvers<void>();
  return {
    requests,
    release: held.resolve,
    handle: async (request: HttpRequest) => {
      requests.push(request);
      await held.promise;
      return { status: 200, type: 'text/plain', body: 'late' };
    },
  };
}

const FLAGS = { address: '--address', port: '--port' };

function listenOn(kind: Kind, certificate: TestCertificate): Listen {
  const port = { address: '127.0.0.1', port: 0, flags: FLAGS };
  if (kind === 'tcp') return { type: 'tcp', ...port };
  if (kind !== 'unix')
    return { type: 'tls', ...port, certificate: () => ({ ...certificate }), alsoHttp2: kind !== 'tls' };
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return { type: 'unix', path: join(folder.path, 'socket') };
}

function beginner(
  kind: Kind,
  listen: Listen,
  { port }: HttpServer,
  certificate: TestCertificate,
): (asked: Asked) => Asking {
  const where = listen.type === 'unix' ? { socketPath: listen.path } : { host: '127.0.0.1', port };
  if (kind === 'tcp' || kind === 'unix') return (asked) => http1Asking(httpRequest({ ...where, ...asked }), asked);
  if (kind === 'tls') return (asked) => http1Asking(httpsRequest({ ...where, ...asked, ca: certificate.cert }), asked);
  let session: ClientHttp2Session | undefined;
  return (asked) => {
    session = session?.closed === false ? session : openSession(port, certificate);
    return http2Asking(session, asked);
  };
}

function http1Asking(out: ClientRequest, { body, isOpen = false }: Asked): Asking {
  const { promise: answer, resolve, reject } = Promise.withResolvers<TestAnswer>();
  out.on('error', reject);
  out.once('response', (response) => {
    const { statusCode: status, headers } = response;
    buffer(response).then((text) => resolve({ status, headers, body: text }), reject);
  });
  return { out: written(out, body, isOpen), answer: handled(answer) };
}

function openSession(port: number, certificate: TestCertificate): ClientHttp2Session {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: certificate.cert });
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

function http2Asking(session: ClientHttp2Session, asked: Asked): Asking {
  const { method = 'GET', path = '/', headers, body, isOpen = false } = asked;
  const out = session.request({ ':method': method, ':path': path, ...headers }, { endStream: false });
  const { promise: answer, resolve, reject } = Promise.withResolvers<TestAnswer>();
  out.on('error', reject);
  out.once('close', () => reject(new Error('the stream was closed')));
  out.once('response', ({ ':status': status, ...rest }) => {
    buffer(out).then((text) => resolve({ status, headers: rest, body: text }), reject);
  });
  return { out: written(out, body, isOpen), answer: handled(answer) };
}

function written<T extends ClientRequest | ClientHttp2Stream>(
  out: T,
  body: string | Buffer | undefined,
  isOpen: boolean,
): T {
  if (body !== undefined) out.write(body);
  if (!isOpen) out.end();
  return out;
}

/** A test may end before it reads an answer. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
