import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { hedged } from '../../lib/hedge.ts';
import { CONNECT_TIMEOUT_MS, destroyWire, HEDGE_MS, type Wire } from './connect.ts';
import { timedOut } from './http.ts';
import { Line } from './http1-line.ts';

const AGENT_KEEP_ALIVE_MS = 2000;
/** Shorter than the API server's own 90 s, so that it is seldom the server that hangs up. */
const IDLE_SOCKET_MS = 60_000;
const MAX_IDLE_SOCKETS = 16;
/** Longer than any watch or list lives. */
const RETIRE_LIMIT_MS = 900_000;

/** Opens a connection, TLS and proxy included; the signal ends the attempt. */
export type Connect = (signal: AbortSignal) => Promise<Wire>;

/** Node's agent, with connections of our own making: one that is late to open has another attempt beside it. */
export class DialAgent extends Agent {
  readonly #connect: Connect;
  readonly #lines = new Map<Socket, Line>();
  readonly #ended = new AbortController();

  constructor(connect: Connect, maxIdle = MAX_IDLE_SOCKETS) {
    super({
      keepAlive: true,
      keepAliveMsecs: AGENT_KEEP_ALIVE_MS,
      maxFreeSockets: maxIdle,
      timeout: IDLE_SOCKET_MS,
      scheduling: 'lifo',
    });
    this.#connect = connect;
  }

  /** The connections that carry a request now. */
  get busy(): readonly Line[] {
    return Object.values(this.sockets).flatMap((sockets) =>
      (sockets ?? []).flatMap((socket) => this.lineOf(socket) ?? []),
    );
  }

  /** Whether a connection is open that carries nothing now. */
  get hasIdle(): boolean {
    return Object.values(this.freeSockets).some((sockets) => (sockets ?? []).length > 0);
  }

  lineOf(socket: Socket): Line | undefined {
    return this.#lines.get(socket);
  }

  /** Lets what is open finish, keeps nothing, and resolves when all is closed. */
  async retire(): Promise<void> {
    this.maxFreeSockets = 0;
    const finished = [...this.#lines.values()].map(async (line) => line.finish(RETIRE_LIMIT_MS));
    for (const socket of Object.values(this.freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy();
    await Promise.all(finished);
  }

  /** Ends every connection at once, and those on their way. */
  end(error: Error): void {
    this.#ended.abort(error);
    for (const line of this.#lines.values()) line.end(error);
    this.destroy();
  }

  /** Connections of one name are used for each other's requests; a spare one has none of those that are there. */
  override getName(options?: ClientRequestArgs & { readonly isSpare?: boolean }): string {
    return `${super.getName(options)}${options?.isSpare === true ? ':spare' : ''}`;
  }

  override reuseSocket(socket: Socket, request: ClientRequest): void {
    super.reuseSocket(socket, request);
    // The agent sets its own when a connection becomes idle.
    this.lineOf(socket)?.keepAlive();
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const fail = (error: unknown): void => {
      // The agent does not look at the stream of a failure.
      callback?.(error instanceof Error ? error : new Error(String(error)), new Socket());
    };
    const succeed = (wire: Wire): void => {
      const { socket } = wire;
      const line = new Line(wire);
      line.keepAlive();
      this.#lines.set(socket, line);
      socket.once('close', () => this.#lines.delete(socket));
      callback?.(null, socket);
    };
    hedged(this.#connect, {
      afterMs: HEDGE_MS,
      limitMs: CONNECT_TIMEOUT_MS,
      late: () => timedOut('no connection within 10 s'),
      discard: destroyWire,
      signal: this.#ended.signal,
    }).then(succeed, fail);
  }
}
