import { abortable } from './abortable.ts';
import type { TlsOptions } from './cluster.ts';
import type { HttpConnections, HttpRequest, HttpResponse } from './http.ts';

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
  // Not loaded before something is to be sent: TLS and HTTP/2 take a while, and hooks that run at the start need neither.
  const { openConnections } = await import('./connections.ts');
  return openConnections(options, tls, onProtocolChange);
}
