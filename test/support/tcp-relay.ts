import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A relay between client and server that can fall silent without closing, or be cut. */
export interface TcpRelay {
  readonly port: number;
  /** From now on nothing passes on the open connections, in either direction, without notice. */
  freeze(): void;
  /** The same, also on new connections. */
  freezeAll(): void;
  /** Resets every connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startRelay(targetPort: number): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  const frozen = new Set<Socket>();
  let isFrozen = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const far = keep(connect(targetPort, '127.0.0.1'));
    keep(near);
    if (isFrozen) frozen.add(near).add(far);
    const join = (from: Socket, to: Socket): void => {
      from
        .on('data', (chunk) => frozen.has(from) || to.write(chunk))
        .once('close', () => frozen.has(from) || to.destroy());
    };
    join(near, far);
    join(far, near);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const freeze = (): void => {
    for (const socket of sockets) frozen.add(socket);
  };
  return {
    port: (server.address() as AddressInfo).port,
    freeze,
    freezeAll() {
      isFrozen = true;
      freeze();
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A relay over which so many bytes pass in a second, in each direction of each connection. */
export async function startSlowRelay(targetPort: number, bytesPerS: number): Promise<Pick<TcpRelay, 'port' | 'close'>> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const socket of [near, far])
      sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.once('close', () => to.destroy());
      from.on('data', (chunk) => {
        from.pause();
        const pass = (): void => {
          to.write(chunk);
          from.resume();
        };
        setTimeout(pass, (chunk.length / bytesPerS) * 1000);
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
