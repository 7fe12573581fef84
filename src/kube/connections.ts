import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { TlsOptions } from './cluster.ts';
import { connect } from './connect.ts';
import type { HttpConnections } from './http.ts';
import { createHttp1 } from './http1.ts';
import { createHttp2 } from './http2.ts';
import type { TransportOptions } from './transport.ts';

/** Connects to the server, and speaks from then on the protocol that it chose. */
export async function openConnections(
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
