import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '../certificate.ts';
import type { StageTarget } from './connection.ts';

/** TLS with HTTP/2 and HTTP/1.1 in front of a server that speaks plain HTTP, such as the sandbox. */
export interface TlsFront extends StageTarget, AsyncDisposable {}

/** Starts one on a loopback port. */
export async function startTlsFront(url: string): Promise<TlsFront> {
  const certificate = createCertificate();
  const agent = new Agent({ keepAlive: true });
  const server = createSecureServer({ ...certificate, allowHTTP1: true }, (incoming, answer) => {
    forward({ url, agent, incoming, answer });
  });
  const sockets = new Set<{ destroy(): void }>();
  server.on('secureConnection', (socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)));
  });
  server.on('sessionError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: certificate.cert,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Forwarding {
  readonly url: string;
  readonly agent: Agent;
  readonly incoming: Http2ServerRequest;
  readonly answer: Http2ServerResponse;
}

function forward({ url, agent, incoming, answer }: Forwarding): void {
  const isOfConnection = (name: string): boolean => name.startsWith(':') || CONNECTION_HEADERS.has(name);
  const clean = (all: object) => Object.fromEntries(Object.entries(all).filter(([name]) => !isOfConnection(name)));
  const sent = request(url + incoming.url, { agent, method: incoming.method, headers: clean(incoming.headers) });
  incoming.on('error', () => {});
  answer.on('error', () => {}).once('close', () => sent.destroy());
  sent.on('error', () => answer.destroy());
  sent.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, clean(response.headers));
    // Sends the headers of a watch on which nothing happens yet.
    answer.write('');
    response.on('error', () => answer.destroy());
    response.pipe(answer);
  });
  incoming.pipe(sent);
}

const CONNECTION_HEADERS: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host']);
