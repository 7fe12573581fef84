import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** How a fault affects open connections, and those that are opened while it lasts. */
export type StageFault =
  /** New connections stall after this many bytes of the server, or after the client's second chunk. */
  | { readonly type: 'silent'; readonly afterBytes: number }
  | { readonly type: 'silent'; readonly afterClientPieces: number }
  /** The server's bytes pass at one byte per second. */
  | { readonly type: 'trickle' };

/** A relay that stalls connections at a stage; stalled connections never continue. */
export interface StageRelay {
  readonly port: number;
  begin(fault: StageFault): void;
  end(): void;
  close(): Promise<void>;
}

export async function startStageRelay(targetPort: number): Promise<StageRelay> {
  const sockets = new Set<Socket>();
  const stalled = new WeakSet<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let fault: StageFault | undefined;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    const mine = fault;
    const far = keep(connect({ port: targetPort, host: '127.0.0.1', noDelay: true }));
    keep(near).setNoDelay(true);
    let [bytes, pieces] = [0, 0];
    const waiting: Buffer[] = [];
    if (mine?.type === 'trickle') {
      const timer = setInterval(() => {
        const first = waiting.shift();
        if (first === undefined) return;
        near.write(first.subarray(0, 1));
        if (first.length > 1) waiting.unshift(first.subarray(1));
      }, 1000);
      timers.add(timer);
    }
    near.on('data', (chunk) => {
      pieces += 1;
      if (isOver(mine, 0, pieces)) stalled.add(near);
      if (!stalled.has(near)) far.write(chunk);
    });
    far.on('data', (chunk) => {
      bytes += chunk.length;
      if (mine?.type === 'trickle') waiting.push(chunk);
      else if (!stalled.has(near) && !isOver(mine, bytes, pieces)) near.write(chunk);
      else stalled.add(near);
    });
    near.once('close', () => far.destroy());
    far.once('close', () => stalled.has(near) || near.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    begin(next) {
      fault = next;
      for (const socket of sockets) stalled.add(socket);
    },
    end() {
      fault = undefined;
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isOver(fault: StageFault | undefined, bytes: number, pieces: number): boolean {
  if (fault?.type !== 'silent') return false;
  return 'afterBytes' in fault ? bytes > fault.afterBytes : pieces >= fault.afterClientPieces;
}
