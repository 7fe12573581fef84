import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy that injects network faults. */
export interface Relay {
  readonly port: number;
  /** Resets every connection. */
  cut(): void;
  /** Silently stops all transfer on the existing connections. */
  freeze(): void;
  /** Delays everything that arrives from now on. */
  delay(ms: number): void;
  /** While true, new connections are reset. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

/** Listens on loopback, and passes on to a port of loopback. */
export async function startSoakRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let delayMs = 0;
  let isRefusing = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const join = (from: Socket, to: Socket): void => {
    const later = inOrder(() => delayMs);
    from.on('data', (chunk) => later(() => !frozen.has(from) && to.writable && to.write(chunk)));
    from.once('close', (isBroken) =>
      later(() => !frozen.has(from) && (isBroken ? to.resetAndDestroy() : to.destroy())),
    );
  };
  const server = createServer((near) => {
    keep(near);
    if (isRefusing) {
      near.resetAndDestroy();
      return;
    }
    const far = keep(connect({ port: targetPort, host: '127.0.0.1', noDelay: true }));
    near.setNoDelay(true);
    join(near, far);
    join(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    freeze() {
      for (const socket of sockets) frozen.add(socket);
    },
    delay(ms) {
      delayMs = ms;
    },
    refuse(next) {
      isRefusing = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Does things after a delay, and in the order they came in, also when the delay becomes shorter. */
function inOrder(delayMs: () => number): (act: () => void) => void {
  const waiting: { readonly atMs: number; readonly act: () => void }[] = [];
  const doDue = (): void => {
    for (;;) {
      const [first] = waiting;
      if (first === undefined) return;
      const waitMs = first.atMs - performance.now();
      if (waitMs > 0) {
        setTimeout(doDue, Math.ceil(waitMs));
        return;
      }
      waiting.shift();
      first.act();
    }
  };
  return (act) => {
    waiting.push({ atMs: performance.now() + delayMs(), act });
    if (waiting.length === 1) doDue();
  };
}
