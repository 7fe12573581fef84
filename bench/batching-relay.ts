import { writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { clusterConfig } from '../test/cluster/cluster-config.ts';
import type { BenchStage } from './stage.ts';

const BATCH_MS = 1000;
/** Connections that got more than this carry objects; Leases are renewed on others. */
const MANY_BYTES = 1024 * 1024;

/** A way to the API server that can pass on what comes on it in batches. */
export interface BatchingRelay {
  /** The stage, for those that are to use this way. */
  readonly stage: BenchStage;
  /**
   * While `work` runs, what the API server sends is passed on once a second, as a process gets it that has no time to
   * read more often: so the cost of an event is that at full load, without a core for each process.
   */
  readonly batched: (work: () => Promise<void>) => Promise<void>;
}

/** Opens a relay on a port of its own; it ends with `ends`. */
export async function openRelay(stage: BenchStage, ends: AsyncDisposableStack): Promise<BatchingRelay> {
  const flows = new Set<Flow>();
  const mode = { isBatched: false };
  const { hostname, port } = new URL(stage.url);
  const server = createServer((client) => {
    const flow = new Flow(client, connect(Number(port), hostname), mode);
    flows.add(flow);
    client.once('close', () => flows.delete(flow));
  });
  ends.defer(() => {
    for (const flow of flows) flow.end();
    server.close();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${portOf(server.address())}`;
  const kubeconfig = join(stage.folder, 'kubeconfig-relay');
  writeFileSync(kubeconfig, clusterConfig({ url, ca: stage.ca, user: 'admin', token: stage.token }));
  const flush = (): void => {
    for (const flow of flows) flow.flush();
  };
  return {
    stage: { ...stage, url, kubeconfig },
    batched: async (work) => {
      mode.isBatched = true;
      const timer = setInterval(flush, BATCH_MS);
      try {
        await work();
      } finally {
        clearInterval(timer);
        mode.isBatched = false;
        flush();
      }
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the relay has no port');
  return address.port;
}

/** One connection of a process to the API server. */
class Flow {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #mode: { readonly isBatched: boolean };
  #bytes = 0;
  #waiting: Buffer[] = [];

  constructor(client: Socket, server: Socket, mode: { readonly isBatched: boolean }) {
    this.#client = client;
    this.#server = server;
    this.#mode = mode;
    for (const socket of [client, server]) socket.setNoDelay().on('error', () => this.end());
    client.pipe(server);
    server.on('data', (chunk) => this.#came(chunk)).once('close', () => this.end());
    client.once('close', () => this.end());
  }

  flush(): void {
    if (this.#waiting.length > 0) this.#client.write(Buffer.concat(this.#waiting));
    this.#waiting = [];
  }

  end(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #came(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#waiting.push(chunk);
    if (!this.#mode.isBatched || this.#bytes < MANY_BYTES) this.flush();
  }
}
