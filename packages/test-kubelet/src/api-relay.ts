import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Forwards connections from an address of this machine to the API server, which listens only on 127.0.0.1. */
export interface ApiRelay extends AsyncDisposable {
  readonly port: number;
}

/** Opens a relay on `address` to a port of 127.0.0.1. */
export async function openApiRelay(address: string, target: number): Promise<ApiRelay> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = keep(connect(target, '127.0.0.1'));
    keep(near).pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  }).listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}
