import { connect, createServer, type Socket } from 'node:net';

/** A replica behind a balancer. */
export interface Backend {
  readonly port: number;
  readonly healthPort: number;
}

/** One address in front of replicas, as a Service is: it connects to those that are ready, in turn. */
export interface Balancer extends AsyncDisposable {
  /** How many connections of a backend are open. */
  open(backend: Backend): number;
  isReady(backend: Backend): boolean;
}

const LOOK_MS = 100;

/** Listens on `port` of loopback. */
export async function startBalancer(port: number, backends: readonly Backend[]): Promise<Balancer> {
  const sockets = new Map<Socket, Backend | undefined>();
  let ready: readonly Backend[] = [];
  let turn = 0;
  const keep = (socket: Socket, backend?: Backend): void => {
    sockets.set(socket, backend);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const backend = ready[turn++ % ready.length];
    if (backend === undefined) {
      near.destroy();
      return;
    }
    const far = connect(backend.port, '127.0.0.1');
    keep(near);
    keep(far, backend);
    near.setNoDelay().pipe(far.setNoDelay()).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  const end = new AbortController();
  const looking = (async () => {
    while (!end.signal.aborted) {
      const answers = await Promise.all(backends.map(async (backend) => ((await isReady(backend)) ? [backend] : [])));
      ready = answers.flat();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    open: (backend) => [...sockets.values()].filter((one) => one === backend).length,
    isReady: (backend) => ready.includes(backend),
    async [Symbol.asyncDispose]() {
      end.abort();
      for (const socket of sockets.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await looking;
    },
  };
}

async function isReady({ healthPort }: Backend): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(5000) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}
