import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { eventually } from '../lib/deadline.ts';
import { latch } from '../lib/latch.ts';
import { encodeMessage, type Message } from './messages.ts';
import { siblingModule } from './sibling-module.ts';
import type { SpawnedProcess } from './spawner-link.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import {
  type HookLogEntry,
  WARM_SOCKET,
  WARM_TOKEN,
  type WarmOutputs,
  type WarmReport,
  type WarmRequest,
  type WarmFailure,
} from './warm-protocol.ts';
import type { WarmServer } from './warm-server.ts';

/** What became of loading the module. */
export type Loaded =
  | { readonly type: 'ready'; readonly config: string }
  | { readonly type: 'broken'; readonly error: string }
  | Ended;

/** What became of a run. */
export type Outcome =
  | { readonly type: 'done'; readonly outputs: WarmOutputs; readonly usage: Usage }
  | Omit<WarmFailure, 'id'>
  | Ended;

/** The process ended before it answered. */
export interface Ended {
  readonly type: 'ended';
  readonly exit: Exit;
}

/** Where the output of a run goes. */
export interface WarmOutput {
  readonly onLine: (line: OutputLine) => void;
  readonly onLog: (entry: HookLogEntry) => void;
}

export interface WarmWorkerOptions {
  readonly spawner: Spawner;
  readonly server: WarmServer;
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** Lines printed outside of any run, or by what the hook itself started. */
  readonly onLine: (line: OutputLine) => void;
}

interface PendingRun extends WarmOutput {
  readonly settle: (outcome: Outcome) => void;
}

/** One process that has loaded one hook and runs it again and again. */
export class WarmWorker {
  readonly loaded: Promise<Loaded>;
  /** Resolves when the process is gone and all it said was heard. */
  readonly ended: Promise<Exit>;
  readonly #options: WarmWorkerOptions;
  readonly #process: SpawnedProcess;
  readonly #runs = new Map<number, PendingRun>();
  #socket: Socket | undefined;
  #nextId = 1;
  #isRetired = false;
  #exit: Exit | undefined;
  #isOutputUsed = false;
  readonly #loading = latch<Loaded>();

  constructor(options: WarmWorkerOptions) {
    this.#options = options;
    const { server, spawner, path, env } = options;
    const token = randomUUID();
    this.loaded = this.#loading.promise;
    server.expect(token, (socket) => {
      this.#socket = socket;
      return (report) => this.#handle(report);
    });
    const request = {
      path: process.execPath,
      args: [siblingModule('warm-process'), path],
      cwd: dirname(path),
      env: { ...env, [WARM_SOCKET]: server.path, [WARM_TOKEN]: token },
    };
    this.#process = spawner.start(request, (line) => {
      this.#isOutputUsed = true;
      options.onLine(line);
    });
    this.ended = this.#awaitEnd(token);
  }

  /** Runs begun so far. */
  get runs(): number {
    return this.#nextId - 1;
  }

  get isIdle(): boolean {
    return this.#runs.size === 0;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Starts a run; never rejects. `abort` asks the hook to end it. */
  run(contexts: readonly Uint8Array[], output: WarmOutput): { readonly outcome: Promise<Outcome>; abort(): void } {
    if (this.#exit !== undefined) {
      return { outcome: Promise.resolve({ type: 'ended', exit: this.#exit }), abort: () => {} };
    }
    const id = this.#nextId++;
    const { promise: outcome, resolve: settle } = latch<Outcome>();
    this.#runs.set(id, { ...output, settle });
    if (this.#isOutputUsed) this.#process.refill();
    this.#isOutputUsed = false;
    const bytes = contexts.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    this.#send({ type: 'run', id, bytes }, contexts);
    return { outcome, abort: () => this.#send({ type: 'abort', id }, []) };
  }

  /** Ends the process once its runs are finished. */
  retire(): void {
    this.#isRetired = true;
    if (this.isIdle) this.#process.terminate();
  }

  /** Ends the process and the runs in it. */
  terminate(): void {
    this.#isRetired = true;
    this.#process.terminate();
  }

  #send(request: WarmRequest & Message, payload: readonly Uint8Array[]): void {
    const socket = this.#socket;
    if (socket?.writable !== true) return;
    socket.cork();
    socket.write(encodeMessage(request));
    for (const chunk of payload) socket.write(chunk);
    socket.uncork();
  }

  #handle(report: WarmReport): void {
    switch (report.type) {
      case 'ready':
      case 'broken':
        this.#loading.resolve(report);
        break;
      case 'output':
        for (const line of report.lines) this.#outputOf(report.id)(line);
        break;
      case 'log':
        this.#runs.get(report.id)?.onLog(report.entry);
        break;
      case 'done':
      case 'failed':
        this.#settle(report.id, report);
        break;
      case 'hello':
    }
  }

  #outputOf(id: number | undefined): (line: OutputLine) => void {
    const run = id === undefined ? undefined : this.#runs.get(id);
    return (run ?? this.#options).onLine;
  }

  #settle(id: number, outcome: Outcome): void {
    const run = this.#runs.get(id);
    this.#runs.delete(id);
    run?.settle(outcome);
    if (this.#isRetired && this.isIdle) this.#process.terminate();
  }

  async #awaitEnd(token: string): Promise<Exit> {
    const exit = await this.#process.exit;
    this.#isRetired = true;
    this.#options.server.forget(token);
    await closed(this.#socket);
    this.#exit = exit;
    this.#loading.resolve({ type: 'ended', exit });
    for (const id of this.#runs.keys()) this.#settle(id, { type: 'ended', exit });
    return exit;
  }
}

/** A process that the dead one started may hold the other end. */
const CLOSE_LIMIT_MS = 1000;

async function closed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.closed) return;
  const late = (): void => {
    socket.destroy();
  };
  await eventually<void>({ limitMs: CLOSE_LIMIT_MS, late }, ({ resolve }) => {
    socket.once('close', () => resolve());
    // What it still had to say comes before its end; we say nothing more.
    socket.end();
  });
}
