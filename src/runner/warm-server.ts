import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../lib/deadline.ts';
import { MessageReader } from './messages.ts';
import type { WarmReport } from './warm-protocol.ts';

// sun_path of Linux, less the byte that ends it.
const MAX_SOCKET_PATH = 107;
const LISTEN_LIMIT_MS = 10_000;

/** Takes over a connection; returns what is to be called with each report. */
export type Accept = (socket: Socket) => (report: WarmReport) => void;

/** Where warm processes find the operator: a socket in its private folder. */
export class WarmServer {
  readonly path: string;
  readonly #expected = new Map<string, Accept>();
  #listening: Promise<Server> | undefined;

  constructor(folder: string) {
    this.path = join(folder, 'warm.sock');
  }

  /** Listens, from the first call on. */
  async open(): Promise<void> {
    this.#listening ??= this.#listen();
    await this.#listening;
  }

  /** The process that gives `token` is handed to `accept`. */
  expect(token: string, accept: Accept): void {
    this.#expected.set(token, accept);
  }

  forget(token: string): void {
    this.#expected.delete(token);
  }

  async close(): Promise<void> {
    const server = await this.#listening;
    server?.close();
  }

  async #listen(): Promise<Server> {
    if (Buffer.byteLength(this.path) > MAX_SOCKET_PATH) {
      throw new Error(`the path ${this.path} is too long for a socket; give a shorter --tmp-dir`);
    }
    const server = createServer((socket) => this.#connect(socket));
    const late = (): never => {
      throw new Error(`cannot listen on ${this.path}: nothing happened within ${LISTEN_LIMIT_MS / 1000} s`);
    };
    await eventually<void>({ limitMs: LISTEN_LIMIT_MS, late }, ({ resolve, reject }) => {
      server.once('error', reject);
      server.listen(this.path, () => resolve());
    });
    return server;
  }

  #connect(socket: Socket): void {
    let handle = (report: WarmReport): void => {
      const accept = report.type === 'hello' ? this.#expected.get(report.token) : undefined;
      if (report.type === 'hello') this.#expected.delete(report.token);
      if (accept === undefined) socket.destroy();
      else handle = accept(socket);
    };
    const reader = new MessageReader<WarmReport>((report) => handle(report));
    socket.on('data', (chunk) => reader.push(chunk));
    socket.on('error', () => {});
  }
}
