import { TLSSocket } from 'node:tls';

import { hedged } from '../../lib/hedge.ts';
import type { TlsOptions } from './tls-options.ts';
import { connect, CONNECT_TIMEOUT_MS, destroyWire, HEDGE_MS, type Wire } from './connect.ts';
import type { Connect } from './dial-agent.ts';
import { timedOut, type HttpConnections } from './http.ts';
import { createHttp1 } from './http1.ts';
import { createHttp2 } from './http2.ts';
import type { TransportOptions } from './transport.ts';

export interface NegotiationOptions extends TransportOptions {
  readonly tls: TlsOptions;
  /** Called when a later connection negotiates another protocol: these connections are then obsolete. */
  readonly onProtocolChange: () => void;
  readonly signal: AbortSignal;
}

/** Connects to the server, and uses the protocol that it chose for all later connections. */
export async function openConnections(options: NegotiationOptions): Promise<HttpConnections> {
  const { server, proxy, http2 = true, tls, signal } = options;
  const dial: Connect = async (end) => connect({ server, proxy, tls, protocols: [], signal: end });
  if (server.protocol !== 'https:' || !http2) return createHttp1(server, dial);
  const dialAny: Connect = async (end) => connect({ server, proxy, tls, protocols: ['h2', 'http/1.1'], signal: end });
  const first = await hedged(dialAny, {
    afterMs: HEDGE_MS,
    limitMs: CONNECT_TIMEOUT_MS,
    late: () => timedOut('no connection within 10 s'),
    discard: destroyWire,
    signal,
  });
  if (!speaksHttp2(first)) return createHttp1(server, startingWith(first, dial));
  const dialAgain: Connect = async (end) => {
    const wire = await dialAny(end);
    if (speaksHttp2(wire)) return wire;
    destroyWire(wire);
    options.onProtocolChange();
    throw Object.assign(new Error('the server did not choose HTTP/2 again'), { code: 'ECONNRESET' });
  };
  return createHttp2({ server, connect: startingWith(first, dialAgain), pulseTimes: options.pulseTimes });
}

function speaksHttp2({ socket }: Wire): boolean {
  return socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
}

/** Hands out the connection that negotiated the protocol first, unless it has closed, and then opens new ones. */
function startingWith(first: Wire, next: Connect): Connect {
  let spare: Wire | undefined = first;
  const drop = (): void => {
    spare = undefined;
  };
  first.socket.once('close', drop);
  return async (signal) => {
    const wire = spare;
    drop();
    first.socket.off('close', drop);
    return wire ?? (await next(signal));
  };
}
