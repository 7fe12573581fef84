import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A relay on loopback that counts what a client receives from a server, in bytes as they are on the wire. */
export interface CountingRelay extends AsyncDisposable {
  readonly port: number;
  readonly received: () => number;
}

export async function startCountingRelay(targetPort: number): Promise<CountingRelay> {
  const sockets = new Set<Socket>();
  let received = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = keep(connect(targetPort, '127.0.0.1'));
    keep(near).pipe(far);
    far.on('data', ({ length }: Buffer) => (received += length)).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}
