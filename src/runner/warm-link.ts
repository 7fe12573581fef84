import type { Socket } from 'node:net';
import { eventually } from '../lib/deadline.ts';
import { encodeMessage } from './messages.ts';
import type { WarmRequest } from './warm-protocol.ts';

export interface WarmLinkOptions {
  /** Called when the process sends more than it may, or does not read; the reason is for the log. */
  readonly onAbuse: (reason: string) => void;
  /** Called when the connection is closed. */
  readonly onClose: () => void;
}

const CLOSE_LIMIT_MS = 2000;
const MIB = 1024 * 1024;
/** What a process may send outside of runs, and in addition for each run: the outputs of the run and what it prints. */
const IDLE_BYTES = 16 * MIB;
const RUN_BYTES = 64 * MIB;
/** Limit of the binding contexts that a process has not read yet. */
const MAX_BACKLOG_BYTES = 256 * MIB;

/** The connection to one warm process, which limits what the process sends and what it leaves unread. */
export class WarmLink {
  readonly #options: WarmLinkOptions;
  #socket: Socket | undefined;
  #permittedBytes = IDLE_BYTES;

  constructor(options: WarmLinkOptions) {
    this.#options = options;
  }

  /** Takes the connection over once the process has said hello. */
  connect(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', () => {
      if (socket.bytesRead > this.#permittedBytes) {
        socket.destroy();
        this.#options.onAbuse(`it sent more than ${this.#permittedBytes} bytes`);
      }
    });
    socket.once('close', this.#options.onClose);
  }

  /** A run begins: permits its output, and checks that the process reads. */
  beginRun(): void {
    this.#permittedBytes += RUN_BYTES;
    const unreadBytes = this.#socket?.writableLength ?? 0;
    if (unreadBytes > MAX_BACKLOG_BYTES) {
      this.#options.onAbuse(`it left ${unreadBytes} bytes of binding contexts unread`);
    }
  }

  /** A run has ended, and `runs` are left: withdraws what the run was permitted and did not use. */
  endRun(runs: number): void {
    const mostBytes = (this.#socket?.bytesRead ?? 0) + IDLE_BYTES + runs * RUN_BYTES;
    this.#permittedBytes = Math.min(this.#permittedBytes, mostBytes);
  }

  /** Sends a request with its payload; does nothing when the process is not connected. */
  send(request: WarmRequest, payload: readonly Uint8Array[]): void {
    const socket = this.#socket;
    if (socket?.writable !== true) return;
    socket.cork();
    socket.write(encodeMessage(request));
    for (const chunk of payload) socket.write(chunk);
    socket.uncork();
  }

  /** Closes the connection once everything that the process has sent is read, after 2 s at the latest. */
  async close(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.closed) return;
    // A child of the dead process may hold the other end open.
    const late = (): void => void socket.destroy();
    await eventually<void>({ limitMs: CLOSE_LIMIT_MS, late }, ({ resolve }) => {
      socket.once('close', () => resolve());
      socket.end();
      return undefined;
    });
  }
}
