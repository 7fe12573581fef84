import { abortable } from '../../lib/abortable.ts';
import type { TlsOptions } from './tls-options.ts';
import type { HttpConnections, HttpRequest, HttpResponse } from './http.ts';
import type { PulseTimes } from './pulse.ts';

export interface TransportOptions {
  readonly server: URL;
  readonly proxy?: URL | undefined;
  /** Default true: HTTP/2 where the server speaks it over TLS. */
  readonly http2?: boolean | undefined;
  readonly pulseTimes?: PulseTimes | undefined;
}

/** Every connection to one server. */
export interface Transport {
  /** `tls` is what a new connection is made with; when it is another object, the old connections are retired. */
  send(request: HttpRequest, tls: TlsOptions, signal: AbortSignal): Promise<HttpResponse>;
  /** Ends every connection at once; what is open fails. */
  close(): void;
}

interface Negotiated {
  readonly tls: TlsOptions;
  readonly connections: Promise<HttpConnections>;
  /** Ends the negotiation. */
  readonly end: AbortController;
}

/** A transport that asks the server once which protocol it speaks, and keeps to it. */
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
    // They never came to be.
  }
}

async function negotiate(
  options: TransportOptions,
  tls: TlsOptions,
  rest: { readonly onProtocolChange: () => void; readonly signal: AbortSignal },
): Promise<HttpConnections> {
  // Not loaded before something is to be sent: TLS and HTTP/2 take a while, and hooks that run at the start need neither.
  const { openConnections } = await import('./connections.ts');
  return openConnections({ ...options, ...rest, tls });
}
