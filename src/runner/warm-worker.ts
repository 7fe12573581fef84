import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { eventually } from '../lib/deadline.ts';
import { latch } from '../lib/latch.ts';
import { encodeMessage } from './messages.ts';
import { siblingModule } from './sibling-module.ts';
import type { SpawnedProcess } from './spawner-link.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import {
  type HookLogEntry,
  type RunReport,
  WARM_SOCKET,
  WARM_TOKEN,
  type WarmOutputs,
  type WarmReport,
  type WarmRequest,
} from './warm-protocol.ts';
import type { WarmServer } from './warm-server.ts';
import { Watchdog } from './watchdog.ts';

/** What became of loading the module. */
export type Loaded =
  | { readonly type: 'ready'; readonly config: string }
  | { readonly type: 'broken'; readonly error: string }
  | Ended;

/** What became of a run. */
export type Outcome = { readonly type: 'done'; readonly outputs: WarmOutputs; readonly usage: Usage } | Failed | Ended;

/** `reason` in a line, `error` with all there is to say. */
export interface Failed {
  readonly type: 'failed';
  readonly reason: string;
  readonly error: string;
  readonly outputs: WarmOutputs;
  readonly usage: Usage;
}

/** The process ended before it answered. */
export interface Ended {
  readonly type: 'ended';
  readonly exit: Exit;
  /** Why we ended it; absent when it ended by itself or was asked to. */
  readonly reason?: string | undefined;
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
  /** From the start of the process until its module must be loaded; default 10 s. */
  readonly loadLimitMs?: number | undefined;
  /** From asking for the end of the process until it counts as ended, whatever the spawner says; default 10 s. */
  readonly endLimitMs?: number | undefined;
}

interface PendingRun extends WarmOutput {
  readonly settle: (outcome: Outcome) => void;
}

const DEFAULT_LOAD_LIMIT_MS = 10_000;
const DEFAULT_END_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 2000;
const MIB = 1024 * 1024;
/** What a process may send beside its runs, and for each of them: the outputs of a run and what it prints. */
const IDLE_BYTES = 16 * MIB;
const RUN_BYTES = 64 * MIB;
/** Contexts on their way to a process that does not read them. */
const MAX_BACKLOG_BYTES = 256 * MIB;

/**
 * One process that has loaded one hook and runs it again and again. It is not trusted to load, to read, to end, or to
 * send what it should: each of these has a limit, and whoever waits for it is answered then.
 */
export class WarmWorker {
  readonly loaded: Promise<Loaded>;
  /** Resolves when the process is gone and all it said was heard. */
  readonly ended: Promise<Exit>;
  readonly #options: WarmWorkerOptions;
  readonly #process: SpawnedProcess;
  readonly #runs = new Map<number, PendingRun>();
  readonly #loading: Watchdog;
  readonly #ending: Watchdog;
  readonly #loaded = latch<Loaded>();
  readonly #givenUp = latch<Exit>();
  #socket: Socket | undefined;
  #nextId = 1;
  #isRetired = false;
  #exit: Exit | undefined;
  #reason: string | undefined;
  #isOutputUsed = false;
  #permittedBytes = IDLE_BYTES;

  constructor(options: WarmWorkerOptions) {
    this.#options = options;
    const { server, spawner, path, env } = options;
    const { loadLimitMs = DEFAULT_LOAD_LIMIT_MS, endLimitMs = DEFAULT_END_LIMIT_MS } = options;
    const token = randomUUID();
    this.loaded = this.#loaded.promise;
    server.expect(token, {
      onConnect: (socket) => this.#connect(socket),
      onReport: (report, payload) => this.#handle(report, payload),
      onBad: (reason) => this.#endFor(`it sent what is no report, ${reason}`),
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
    this.#ending = new Watchdog(endLimitMs, () => this.#giveUp(endLimitMs));
    this.#loading = new Watchdog(loadLimitMs, () => this.#endFor(`it was not loaded within ${loadLimitMs / 1000} s`));
    this.#loading.start();
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

  /** Why it was ended, when that was not asked for; for the log. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Starts a run; never rejects. `abort` asks the hook to end it. */
  run(contexts: readonly Uint8Array[], output: WarmOutput): { readonly outcome: Promise<Outcome>; abort(): void } {
    if (this.#exit !== undefined) {
      return { outcome: Promise.resolve(this.#endedWith(this.#exit)), abort: () => {} };
    }
    const id = this.#nextId++;
    const { promise: outcome, resolve: settle } = latch<Outcome>();
    this.#runs.set(id, { ...output, settle });
    this.#permittedBytes += RUN_BYTES;
    if (this.#isOutputUsed) this.#process.refill();
    this.#isOutputUsed = false;
    const bytes = contexts.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    if ((this.#socket?.writableLength ?? 0) > MAX_BACKLOG_BYTES) {
      this.#endFor(`it left ${this.#socket?.writableLength} bytes of binding contexts unread`);
    }
    this.#send({ type: 'run', id, bytes }, contexts);
    return { outcome, abort: () => this.#send({ type: 'abort', id }, []) };
  }

  /** Ends the process once its runs are finished. */
  retire(): void {
    this.#isRetired = true;
    if (this.isIdle) this.terminate();
  }

  /** Ends the process and the runs in it. */
  terminate(): void {
    this.#isRetired = true;
    this.#loading.stop();
    if (this.#exit !== undefined) return;
    this.#process.terminate();
    this.#ending.start();
  }

  #endFor(reason: string): void {
    this.#reason ??= reason;
    this.terminate();
  }

  #connect(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', () => {
      if (socket.bytesRead > this.#permittedBytes) {
        socket.destroy();
        this.#endFor(`it sent more than ${this.#permittedBytes} bytes`);
      }
    });
    // A process that hung up is of no use, and the spawner may not tell that it ended.
    socket.once('close', () => this.terminate());
  }

  #send(request: WarmRequest, payload: readonly Uint8Array[]): void {
    const socket = this.#socket;
    if (socket?.writable !== true) return;
    socket.cork();
    socket.write(encodeMessage(request));
    for (const chunk of payload) socket.write(chunk);
    socket.uncork();
  }

  #handle(report: WarmReport, payload: Buffer): void {
    switch (report.type) {
      case 'ready':
        this.#settleLoading({ type: 'ready', config: payload.toString() });
        break;
      case 'broken':
        this.#settleLoading({ type: 'broken', error: report.error });
        break;
      case 'output':
        for (const line of report.lines) this.#outputOf(report.id)(line);
        break;
      case 'log':
        this.#runs.get(report.id)?.onLog(report.entry);
        break;
      case 'done':
        this.#settle(report.id, { type: 'done', usage: report.usage, outputs: readOutputs(report, payload) });
        break;
      case 'failed': {
        const { reason, error, usage } = report;
        this.#settle(report.id, { type: 'failed', reason, error, usage, outputs: readOutputs(report, payload) });
        break;
      }
      case 'hello':
    }
  }

  #outputOf(id: number | undefined): (line: OutputLine) => void {
    const run = id === undefined ? undefined : this.#runs.get(id);
    return (run ?? this.#options).onLine;
  }

  #settleLoading(loaded: Loaded): void {
    this.#loading.stop();
    this.#loaded.resolve(loaded);
  }

  #settle(id: number, outcome: Outcome): void {
    const run = this.#runs.get(id);
    this.#runs.delete(id);
    run?.settle(outcome);
    const mostBytes = (this.#socket?.bytesRead ?? 0) + IDLE_BYTES + this.#runs.size * RUN_BYTES;
    this.#permittedBytes = Math.min(this.#permittedBytes, mostBytes);
    if (this.#isRetired && this.isIdle) this.terminate();
  }

  /** Its end was asked for and never told: the spawner may be stopped itself. */
  #giveUp(limitMs: number): void {
    this.#process.kill();
    const message = `it did not end within ${limitMs / 1000} s`;
    this.#givenUp.resolve({ timedOut: false, startError: { code: '', message }, stdout: '', stderr: '', usage: {} });
  }

  #endedWith(exit: Exit): Ended {
    return { type: 'ended', exit, reason: this.#reason };
  }

  async #awaitEnd(token: string): Promise<Exit> {
    const exit = await Promise.race([this.#process.exit, this.#givenUp.promise]);
    this.#isRetired = true;
    this.#loading.stop();
    this.#ending.stop();
    this.#options.server.forget(token);
    await closed(this.#socket);
    this.#exit = exit;
    this.#ending.stop();
    this.#loaded.resolve(this.#endedWith(exit));
    for (const id of this.#runs.keys()) this.#settle(id, this.#endedWith(exit));
    return exit;
  }
}

function readOutputs({ patchBytes }: RunReport, payload: Buffer): WarmOutputs {
  return { patch: payload.toString('utf8', 0, patchBytes), metrics: payload.toString('utf8', patchBytes) };
}

async function closed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.closed) return;
  // A process that the dead one started may hold the other end.
  const late = (): void => void socket.destroy();
  await eventually<void>({ limitMs: CLOSE_LIMIT_MS, late }, ({ resolve }) => {
    socket.once('close', () => resolve());
    // What it still had to say comes before its end; we say nothing more.
    socket.end();
    return undefined;
  });
}
