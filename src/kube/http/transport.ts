import { abortable } from '../../lib/abortable.ts';
import type { TlsOptions } from './tls-options.ts';
import type { HttpConnections, HttpRequest, HttpResponse } from './http.ts';
import type { PulseTimes } from './pulse.ts';

export interface TransportOptions {
  readonly server: URL;
  readonly proxy?: URL | undefined;
  /** Default true: use HTTP/2 if the server offers it over TLS. */
  readonly http2?: boolean | undefined;
  readonly pulseTimes?: PulseTimes | undefined;
}

/** All connections to one server. */
export interface Transport {
  /**
   * Sends a request on a connection with the options `tls`; when `tls` is another object than before, the old
   * connections are retired.
   */
  send(request: HttpRequest, tls: TlsOptions, signal: AbortSignal): Promise<HttpResponse>;
  /** Closes every connection at once; open requests and responses fail. */
  close(): void;
}

interface Negotiated {
  readonly tls: TlsOptions;
  readonly connections: Promise<HttpConnections>;
  /** Aborts the negotiation. */
  readonly end: AbortController;
}

/** Creates a transport that negotiates the protocol once and keeps it. */
export function createTransport(options: TransportOptions): Transport {
  let current: Negotiated | undefined;
  let isClosed = false;
  const all = new Set<Negotiated>();

  const forget = (negotiated: Negotiated): void => {
    if (current === negotiated) current = undefined;
    void retire(negotiated).finally(() => all.delete(negotiated));
  };
  const renew = (tls: TlsOptions): Negotiated => {
    if (current !== undefined) forget(current);
    const end = new AbortController();
    const onProtocolChange = (): void => forget(negotiated);
    const connections = negotiate(options, tls, { onProtocolChange, signal: end.signal });
    const negotiated: Negotiated = { tls, end, connections };
    current = negotiated;
    all.add(negotiated);
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
    close() {
      isClosed = true;
      for (const { connections, end } of all) {
        end.abort(new Error('the client is closed'));
        connections.then(
          (opened) => opened.close(),
          () => {},
        );
      }
    },
  };
}

async function retire({ connections }: Negotiated): Promise<void> {
  try {
    await (await connections).retire();
  } catch {
    // The connection was never opened.
  }
}

async function negotiate(
  options: TransportOptions,
  tls: TlsOptions,
  rest: { readonly onProtocolChange: () => void; readonly signal: AbortSignal },
): Promise<HttpConnections> {
  // Loaded lazily: TLS and HTTP/2 take time to load, and hooks that run at startup may need neither.
  const { openConnections } = await import('./connections.ts');
  return openConnections({ ...options, ...rest, tls });
}
