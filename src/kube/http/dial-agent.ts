/*
 * The connections of HTTP/1.1: an `http.Agent` that opens them with our `connect`, and starts a second attempt beside
 * one that takes longer than 1.5 s. `http1.ts` sends requests through it, and `PathWatch` uses one more agent for its
 * probes. A connection is opening, busy (carries a request), idle (kept for 60 s), or closed; `Line` is the record of
 * an open one. `retire` and `end` must reach all of them, also those that are still opening.
 */

import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { hedged } from '../../lib/hedge.ts';
import { CONNECT_TIMEOUT_MS, destroyWire, HEDGE_MS, type Wire } from './connect.ts';
import { timedOut } from './http.ts';
import { Line } from './http1-line.ts';

const AGENT_KEEP_ALIVE_MS = 2000;
/** Shorter than the API server's own 90 s, so that usually the client closes an idle connection. */
const IDLE_SOCKET_MS = 60_000;
const MAX_IDLE_SOCKETS = 16;
/** Longer than any watch or list takes. */
const RETIRE_LIMIT_MS = 900_000;

/** Opens a connection, including TLS and proxy; aborting the signal ends the attempt. */
export type Connect = (signal: AbortSignal) => Promise<Wire>;

/** Node's agent with our own connections; a connection attempt that is late gets a second one beside it. */
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

  /** The connections that carry a request. */
  get busy(): readonly Line[] {
    return Object.values(this.sockets).flatMap((sockets) =>
      (sockets ?? []).flatMap((socket) => this.lineOf(socket) ?? []),
    );
  }

  /** Whether there is an open connection that carries no request. */
  get hasIdle(): boolean {
    return Object.values(this.freeSockets).some((sockets) => (sockets ?? []).length > 0);
  }

  lineOf(socket: Socket): Line | undefined {
    return this.#lines.get(socket);
  }

  /** Closes idle connections, lets the busy ones finish, and resolves when all are closed. */
  async retire(): Promise<void> {
    this.maxFreeSockets = 0;
    const finished = [...this.#lines.values()].map(async (line) => line.finish(RETIRE_LIMIT_MS));
    for (const socket of Object.values(this.freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy();
    await Promise.all(finished);
  }

  /** Closes every connection at once, and aborts those that are being opened. */
  end(error: Error): void {
    this.#ended.abort(error);
    for (const line of this.#lines.values()) line.end(error);
    this.destroy();
  }

  /** Node reuses connections within one name; a spare request must not get an existing connection. */
  override getName(options?: ClientRequestArgs & { readonly isSpare?: boolean }): string {
    return `${super.getName(options)}${options?.isSpare === true ? ':spare' : ''}`;
  }

  override reuseSocket(socket: Socket, request: ClientRequest): void {
    super.reuseSocket(socket, request);
    // Node sets its own keep-alive when a connection becomes idle.
    this.lineOf(socket)?.keepAlive();
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const fail = (error: unknown): void => {
      // Node ignores the stream when there is an error.
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
