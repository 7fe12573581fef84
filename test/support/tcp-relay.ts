import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A hop between client and server that can go silent without hanging up, or be cut. */
export interface TcpRelay {
  readonly port: number;
  /** From now on nothing passes, in either direction, and nobody is told. */
  freeze(): void;
  /** Resets every connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startRelay(targetPort: number): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = keep(connect(targetPort, '127.0.0.1'));
    keep(near);
    near.on('data', (chunk) => isFrozen || far.write(chunk)).once('close', () => isFrozen || far.destroy());
    far.on('data', (chunk) => isFrozen || near.write(chunk)).once('close', () => isFrozen || near.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true;
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      isFrozen = false;
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
