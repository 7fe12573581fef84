import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { sleep } from '../../../src/lib/sleep.ts';
import type { LogLine } from './container-log.ts';
import type { ContainerRun } from './container-run.ts';

/** The port of a kubelet, at which the API server reads the logs of containers. */
export interface LogPort extends AsyncDisposable {
  readonly port: number;
}

/** What the port serves. */
export interface LogPortOptions {
  readonly address: string;
  /** As PEM; an API server without a CA of kubelets trusts any. */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** Throws where there is no such container. */
  readonly find: (pod: { readonly namespace: string; readonly name: string }, container: string) => ContainerRun;
}

const POLL_MS = 100;
const NANOSECOND_DIGITS = 6;

/** Opens the port for `kubectl logs`: `follow`, `timestamps` and `sinceTime` are known. */
export async function openLogPort({ address, certificate, find }: LogPortOptions): Promise<LogPort> {
  const end = new AbortController();
  const sockets = new Set<Duplex>();
  const server = createServer(certificate, (request, response) => {
    void answer(request, response).catch((error: unknown) => response.writeHead(404).end(String(error)));
  });
  server.on('connection', (socket) => void sockets.add(socket.once('close', () => sockets.delete(socket))));
  server.listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    async [Symbol.asyncDispose]() {
      end.abort();
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };

  async function answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { namespace, name, container, isFollowed, print } = asked(new URL(url, 'https://kubelet'));
    const run = find({ namespace, name }, container);
    response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
    for (let sent = 0; !response.destroyed; await sleep(POLL_MS, end.signal)) {
      const isOver = run.record.state.type === 'terminated' || !isFollowed || end.signal.aborted;
      const lines = run.log.lines();
      response.write(lines.slice(sent).map(print(sent)).join(''));
      sent = lines.length;
      if (isOver) break;
    }
    response.end();
  }
}

/** What is asked for, and how lines from an index on are printed. */
function asked({ pathname, searchParams: query }: URL) {
  const [, , namespace = '', name = '', container = ''] = pathname.split('/').map(decodeURIComponent);
  const sinceMs = Date.parse(query.get('sinceTime') ?? '');
  const isStamped = query.get('timestamps') === 'true';
  const print =
    (from: number) =>
    ({ atMs, text }: LogLine, index: number): string => {
      if (atMs < sinceMs) return '';
      return `${isStamped ? `${stamp(atMs, from + index)} ` : ''}${text}\n`;
    };
  return { namespace, name, container, isFollowed: query.get('follow') === 'true', print };
}

/** No two lines have the same time. */
function stamp(atMs: number, index: number): string {
  const nanoseconds = String(index % 10 ** NANOSECOND_DIGITS).padStart(NANOSECOND_DIGITS, '0');
  return new Date(atMs).toISOString().replace('Z', `${nanoseconds}Z`);
}
