import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../lib/deadline.ts';
import { MessageReader } from './messages.ts';
import { MAX_REPORT_BYTES, MAX_REPORT_PAYLOAD_BYTES, type WarmReport } from './warm-protocol.ts';
import { readReport } from './warm-report.ts';

// The size of sun_path on Linux, minus the terminating byte.
const MAX_SOCKET_PATH = 107;
const LISTEN_LIMIT_MS = 10_000;
const HELLO_LIMIT_MS = 5000;
const MAX_HELLO_BYTES = 1024;
const MAX_STRANGERS = 64;

/** The party that waits for a process to connect. */
export interface WarmPeer {
  /** Called when the process has sent its token. */
  readonly onConnect: (socket: Socket) => void;
  readonly onReport: (report: WarmReport, payload: Buffer) => void;
  /** Called when the process sent an invalid report; nothing more is read from it. */
  readonly onBad: (reason: string) => void;
}

type State =
  | { readonly type: 'idle' }
  | { readonly type: 'listening'; readonly server: Promise<Server> }
  /** Final: every later or concurrent `open` rejects. */
  | { readonly type: 'closed' };

interface Expected {
  readonly digest: Buffer;
  readonly peer: WarmPeer;
}

/**
 * The socket in the operator's private folder to which warm processes connect. Hooks and their children can connect to
 * it too, so a connection is a stranger until it sends a token: it has 5 s and 1 KiB for that, and when there are more
 * than 64 strangers the oldest is disconnected.
 */
export class WarmServer {
  readonly path: string;
  readonly #helloLimitMs: number;
  readonly #expected = new Map<string, Expected>();
  readonly #sockets = new Set<Socket>();
  readonly #strangers = new Set<Socket>();
  #state: State = { type: 'idle' };

  constructor(folder: string, helloLimitMs = HELLO_LIMIT_MS) {
    this.path = join(folder, 'warm.sock');
    this.#helloLimitMs = helloLimitMs;
  }

  /** Listens from the first call on, and again when the socket file is gone; rejects once the server is closed. */
  async open(): Promise<void> {
    const state = this.#listening();
    try {
      const server = await state.server;
      if (this.#state === state && !existsSync(this.path)) {
        server.close();
        this.#state = { type: 'idle' };
        await this.#listening().server;
      }
    } catch (error) {
      // The next call tries again.
      if (this.#state === state) this.#state = { type: 'idle' };
      throw error;
    }
    this.#refuseClosed();
  }

  /** Hands the connection of the process that sends `token` to `peer`. */
  expect(token: string, peer: WarmPeer): void {
    this.#expected.set(token, { digest: digestOf(token), peer });
  }

  forget(token: string): void {
    this.#expected.delete(token);
  }

  /** Closes the socket and all connections; a later `open` rejects. */
  async close(): Promise<void> {
    const before = this.#state;
    this.#state = { type: 'closed' };
    if (before.type === 'listening') await before.server.then(closeServer, () => {});
    for (const socket of this.#sockets) socket.destroy();
  }

  #listening(): Extract<State, { type: 'listening' }> {
    this.#refuseClosed();
    if (this.#state.type !== 'listening') this.#state = { type: 'listening', server: this.#listen() };
    return this.#state;
  }

  #refuseClosed(): void {
    if (this.#state.type === 'closed') throw new Error('hooklet is stopping, no warm hook is started');
  }

  async #listen(): Promise<Server> {
    if (Buffer.byteLength(this.path) > MAX_SOCKET_PATH) {
      throw new Error(`the path ${this.path} is too long for a socket; give a shorter --tmp-dir`);
    }
    const server = createServer((socket) => this.#connect(socket));
    const late = (): never => {
      throw new Error(`cannot listen on ${this.path}: no result within ${LISTEN_LIMIT_MS / 1000} s`);
    };
    await eventually<void>({ limitMs: LISTEN_LIMIT_MS, late }, ({ resolve, reject }) => {
      server.once('error', reject);
      server.listen(this.path, () => resolve());
    });
    // An error such as a lack of descriptors: the process that tried to connect ends and is started again.
    server.on('error', () => {});
    return server;
  }

  #connect(socket: Socket): void {
    socket.on('error', () => {});
    if (this.#state.type === 'closed') {
      socket.destroy();
      return;
    }
    this.#admit(socket);
    let peer: WarmPeer | undefined;
    let strangeBytes = 0;
    const reader = new MessageReader<WarmReport>({
      parse: (value) => {
        const report = readReport(value);
        if (peer === undefined && report.type !== 'hello') throw new Error('no hello');
        return report;
      },
      maxLineBytes: MAX_REPORT_BYTES,
      maxPayloadBytes: MAX_REPORT_PAYLOAD_BYTES,
      onMessage: (report, payload) => {
        if (peer !== undefined) peer.onReport(report, payload);
        else peer = this.#greet(socket, report);
      },
      onBad: (reason) => {
        socket.destroy();
        peer?.onBad(reason);
      },
    });
    socket.on('data', (chunk) => {
      if (socket.destroyed) return;
      reader.push(chunk);
      if (peer !== undefined) return;
      strangeBytes += chunk.length;
      if (strangeBytes > MAX_HELLO_BYTES) socket.destroy();
    });
  }

  #admit(socket: Socket): void {
    this.#sockets.add(socket);
    this.#strangers.add(socket);
    const deadline = setTimeout(() => {
      if (this.#strangers.has(socket)) socket.destroy();
    }, this.#helloLimitMs);
    socket.once('close', () => {
      clearTimeout(deadline);
      this.#sockets.delete(socket);
      this.#strangers.delete(socket);
    });
    // The oldest, not the newest: a warm process says hello as soon as it is connected.
    const [first] = this.#strangers;
    if (this.#strangers.size > MAX_STRANGERS) first?.destroy();
  }

  /** Returns the peer that expects the process; disconnects an unexpected one. */
  #greet(socket: Socket, report: WarmReport): WarmPeer | undefined {
    const token = report.type === 'hello' && !socket.destroyed ? this.#find(report.token) : undefined;
    const peer = token === undefined ? undefined : this.#expected.get(token)?.peer;
    if (token === undefined || peer === undefined) {
      socket.destroy();
      return undefined;
    }
    this.#expected.delete(token);
    this.#strangers.delete(socket);
    peer.onConnect(socket);
    return peer;
  }

  /** Constant time: the duration must reveal nothing about the tokens. */
  #find(given: string): string | undefined {
    const digest = digestOf(given);
    let found: string | undefined;
    for (const [token, expected] of this.#expected) if (timingSafeEqual(expected.digest, digest)) found = token;
    return found;
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function closeServer(server: Server): void {
  server.close();
}
