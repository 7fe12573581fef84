import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { EPOCH_HEADER } from '../../src/hook/remote-wire.ts';
import type { WorkDesk } from '../../src/hook/work-desk.ts';
import { latch } from '../../src/lib/latch.ts';
import type { JobServerOptions } from '../../src/server/jobs/job-server.ts';
import { CALLERS, certificate, FakeDesk, openServer, TOKEN } from './job-rig.ts';
import { fakeWorkDesk } from './work-desk-rig.ts';

export type Version = 'HTTP/2' | 'HTTP/1.1';

/** What is sent; absent fields are right. */
export interface SentByWorker {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly epoch?: string | undefined;
  readonly body?: Uint8Array | string;
}

export interface ServerAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A server with a desk of workers, or none, and a way to ask it as a worker does. */
export async function workServer(
  answers: Partial<WorkDesk> | 'none' = {},
  options: Partial<JobServerOptions> = {},
  version: Version = 'HTTP/2',
) {
  const desk = fakeWorkDesk(answers === 'none' ? {} : answers);
  const mayWork = ({ account }: { readonly account: string }): boolean => account === CALLERS[TOKEN]?.account;
  const server = await openServer(new FakeDesk({}), {
    ...(answers !== 'none' && { work: { desk, mayWork } }),
    ...options,
  });
  let session: ClientHttp2Session | undefined;
  const opened = (): ClientHttp2Session => (session ??= openSession(server.url));
  const ask = async (path: string, sent: SentByWorker = {}): Promise<ServerAnswer> =>
    version === 'HTTP/2' ? askHttp2(opened(), path, sent) : askHttp1(server.url, path, sent);
  const say = async (path: string, sent: SentByWorker = {}): Promise<string> => {
    const { status, body } = await ask(path, sent);
    return `${status} ${body.toString().trim()}`;
  };
  return { desk, server, ask, say };
}

/** An HTTP/2 connection, destroyed at the end of the test. */
export function openSession(url: string, from = '127.0.0.1'): ClientHttp2Session {
  const { hostname: host, port } = new URL(url);
  const socket = connectTls({
    socket: connectTcp({ host, port: Number(port), localAddress: from }),
    ca: certificate.cert,
    ALPNProtocols: ['h2'],
  });
  const session = connectHttp2(url, { createConnection: () => socket });
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

/** The headers of a request, but those of its method and path. */
export function headersOf(sent: SentByWorker): Record<string, string> {
  const token = 'token' in sent ? sent.token : TOKEN;
  const epoch = 'epoch' in sent ? sent.epoch : '3';
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(epoch !== undefined && { [EPOCH_HEADER]: epoch }),
    ...(sent.body !== undefined && { 'content-length': String(Buffer.byteLength(sent.body)) }),
  };
}

async function askHttp2(session: ClientHttp2Session, path: string, sent: SentByWorker): Promise<ServerAnswer> {
  const { promise, resolve, reject } = latch<ServerAnswer>();
  const out = session.request({ ':method': sent.method ?? 'GET', ':path': path, ...headersOf(sent) });
  out.on('error', reject);
  out.on('response', ({ ':status': status = 0, ...headers }) => {
    void buffer(out).then((body) => resolve({ status, body, headers }), reject);
  });
  out.end(sent.body);
  return promise;
}

async function askHttp1(url: string, path: string, sent: SentByWorker): Promise<ServerAnswer> {
  const { promise, resolve, reject } = latch<ServerAnswer>();
  const { method = 'GET' } = sent;
  const how = { method, ca: certificate.cert, headers: headersOf(sent), agent: false };
  const out = request(`${url}${path}`, how, (response) => {
    const { statusCode: status = 0, headers } = response;
    void buffer(response).then((body) => resolve({ status, body, headers }), reject);
  });
  out.on('error', reject);
  out.end(sent.body);
  return promise;
}
