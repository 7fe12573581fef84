import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { abortable } from './abortable.ts';
import type { TlsOptions } from './cluster.ts';
import { connect } from './connect.ts';
import type { HttpConnections, HttpRequest, HttpResponse } from './http.ts';
import { createHttp1 } from './http1.ts';
import { createHttp2 } from './http2.ts';

export interface TransportOptions {
  readonly server: URL;
  readonly proxy?: URL | undefined;
  /** Default true: HTTP/2 where the server speaks it over TLS. */
  readonly http2?: boolean | undefined;
  readonly pingIntervalMs?: number | undefined;
  readonly pingTimeoutMs?: number | undefined;
}

/** Every connection to one server. */
export interface Transport {
  /** `tls` is what a new connection is made with; when it is another object, the old connections are retired. */
  send(request: HttpRequest, tls: TlsOptions, signal: AbortSignal): Promise<HttpResponse>;
  close(): Promise<void>;
}

interface Negotiated {
  readonly tls: TlsOptions;
  readonly connections: Promise<HttpConnections>;
}

/** A transport that asks the server once which protocol it speaks, and keeps to it. */
export function createTransport(options: TransportOptions): Transport {
  let current: Negotiated | undefined;
  let isClosed = false;
  const retired = new Set<Promise<HttpConnections>>();

  const forget = (negotiated: Negotiated): void => {
    if (current === negotiated) current = undefined;
  };
  const renew = (tls: TlsOptions): Negotiated => {
    if (current !== undefined) {
      const { connections } = current;
      retired.add(connections);
      void retire(connections).finally(() => retired.delete(connections));
    }
    const negotiated: Negotiated = {
      tls,
      connections: negotiate(options, tls, () => {
        forget(negotiated);
      }),
    };
    current = negotiated;
    return negotiated;
  };

  return {
    async send(request, tls, signal) {
      if (isClosed) throw new Error('the client is closed');
      const negotiated = current?.tls === tls ? current : renew(tls);
      const connections = await abortable(negotiated.connections, signal).catch((error: unknown) => {
        if (!signal.aborted) forget(negotiated);
        throw error;
      });
      return connections.send(request, signal);
    },
    async close() {
      isClosed = true;
      const all = current === undefined ? [...retired] : [...retired, current.connections];
      await Promise.allSettled(all.map(async (connections) => (await connections).close()));
    },
  };
}

async function retire(connections: Promise<HttpConnections>): Promise<void> {
  try {
    await (await connections).retire();
  } catch {
    // They never came to be.
  }
}

async function negotiate(
  options: TransportOptions,
  tls: TlsOptions,
  onProtocolChange: () => void,
): Promise<HttpConnections> {
  const { server, proxy, http2 = true } = options;
  if (server.protocol !== 'https:' || !http2) {
    return createHttp1(server, () => connect({ server, proxy, tls, protocols: [] }));
  }
  const first = await connect({ server, proxy, tls, protocols: ['h2', 'http/1.1'] });
  if (!speaksHttp2(first)) {
    return createHttp1(
      server,
      startingWith(first, () => connect({ server, proxy, tls, protocols: [] })),
    );
  }
  const connectAgain = async (): Promise<Socket> => {
    const socket = await connect({ server, proxy, tls, protocols: ['h2', 'http/1.1'] });
    if (speaksHttp2(socket)) return socket;
    socket.destroy();
    onProtocolChange();
    throw Object.assign(new Error('the server does not speak HTTP/2 any more'), { code: 'ECONNRESET' });
  };
  return createHttp2({ ...options, connect: startingWith(first, connectAgain) });
}

function speaksHttp2(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
}

/** Hands out the socket that asked for the protocol before it opens others. */
function startingWith(first: Socket, next: () => Promise<Socket>): () => Promise<Socket> {
  let spare: Socket | undefined = first;
  const drop = (): void => {
    spare = undefined;
  };
  // Nobody else listens yet.
  first.once('error', drop).once('close', drop);
  return async () => {
    const socket = spare;
    drop();
    first.off('error', drop).off('close', drop);
    return socket ?? (await next());
  };
}
