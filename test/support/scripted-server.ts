import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';

import { createCluster, type Cluster } from '../../src/kube/credentials/cluster.ts';
import { fixedCredentials } from '../../src/kube/credentials/credentials.ts';
import { createCertificate, type TestCertificate } from './certificate.ts';

export type Request = IncomingMessage | Http2ServerRequest;
export type Response = (ServerResponse | Http2ServerResponse) & {
  // Both servers have these methods, but with signatures that do not overlap.
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string | Uint8Array): unknown;
  writeHead(status: number, headers?: Readonly<Record<string, string>>): unknown;
};
export type Answer = (request: Request, response: Response) => void;

export interface ScriptedServerOptions {
  /** Default `http`; `h2` also answers HTTP/1.1. */
  readonly protocol?: 'http' | 'https' | 'h2';
  readonly maxStreams?: number;
  readonly certificate?: TestCertificate;
  /** Ask for a client certificate that this one signed. */
  readonly clientAuthority?: string;
}

/** A server whose responses the test scripts, and which counts requests and connections. */
export interface ScriptedServer {
  readonly url: URL;
  readonly port: number;
  readonly certificate: TestCertificate;
  /** A cluster at this server without credentials. */
  readonly cluster: Cluster;
  /** The requests, as `GET /path`. */
  readonly asked: readonly string[];
  readonly sockets: ReadonlySet<Socket>;
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  /** The number of connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

let shared: TestCertificate | undefined;

export async function startServer(answer: Answer, options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const { protocol = 'http', certificate = (shared ??= createCertificate()) } = options;
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  let connections = 0;

  const server = createFor(options, certificate, (request: Request, response: Response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('error', () => {}).once('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = new URL(`${protocol === 'http' ? 'http' : 'https'}://127.0.0.1:${port}`);
  return {
    url,
    port,
    certificate,
    cluster: createCluster({ name: 'test', server: url }, [fixedCredentials({ ca: certificate.cert })]),
    asked,
    sockets,
    sessions,
    connections: () => connections,
    async close() {
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createFor(
  { protocol = 'http', maxStreams, clientAuthority }: ScriptedServerOptions,
  { cert, key }: TestCertificate,
  listener: (request: Request, response: Response) => void,
): Server {
  const onRequest = listener as (request: unknown, response: unknown) => void;
  // Like an API server, it keeps idle connections open.
  const idle = { keepAliveTimeout: 0 };
  if (protocol === 'http') return createServer(idle, onRequest);
  const tls = {
    cert,
    key,
    ...(clientAuthority === undefined ? {} : { requestCert: true, rejectUnauthorized: true, ca: clientAuthority }),
  };
  if (protocol === 'https') return createHttpsServer({ ...tls, ...idle }, onRequest);
  const settings = maxStreams === undefined ? {} : { settings: { maxConcurrentStreams: maxStreams } };
  return createSecureServer({ ...tls, ...settings, allowHTTP1: true }, onRequest);
}

/** Answers with JSON. */
export function json(response: Response, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A `Status` object as the API server sends it. */
export function statusObject(code: number, reason: string, message: string, details: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message, details };
}
