/*
 * One warm process that has loaded one hook and runs it again and again. `WarmHooks` creates it, awaits `loaded`, calls
 * `run` for each run, `retire` when another process replaces it, and `terminate` to end it. It is loading, ready,
 * retired (it ends once its runs have finished), ending, or ended. The process is not trusted to load, to read, to send
 * only what it should, or to end: each has a limit. When a limit is exceeded the process is terminated, and when it
 * does not end in time it is given up, so `loaded`, `ended` and the outcome of each run always settle.
 */

import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { latch } from '../lib/latch.ts';
import type { ExecuteRequest } from './executor.ts';
import { siblingModule } from './sibling-module.ts';
import type { SpawnedProcess } from './spawner-link.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, OutputLine } from './spawner-protocol.ts';
import { WarmLink } from './warm-link.ts';
import type { Ended, Loaded, Outcome } from './warm-outcome.ts';
import {
  type HookLogEntry,
  type RunReport,
  WARM_SOCKET,
  WARM_TOKEN,
  type WarmOutputs,
  type WarmReport,
} from './warm-protocol.ts';
import type { WarmServer } from './warm-server.ts';
import { Watchdog } from './watchdog.ts';

/** Receives the output of a run. */
export interface WarmOutput {
  readonly onLine: (line: OutputLine) => void;
  readonly onLog: (entry: HookLogEntry) => void;
}

export interface WarmWorkerOptions {
  readonly spawner: Spawner;
  readonly server: WarmServer;
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** Called for lines printed outside of any run, or by programs that the hook started. */
  readonly onLine: (line: OutputLine) => void;
  /** Limit from the start of the process until its module is loaded; default 10 s. */
  readonly loadLimitMs?: number | undefined;
  /**
   * Limit from asking the process to end until it counts as ended, even if the spawner reports nothing; default 10 s.
   */
  readonly endLimitMs?: number | undefined;
}

interface PendingRun extends WarmOutput {
  readonly settle: (outcome: Outcome) => void;
}

const DEFAULT_LOAD_LIMIT_MS = 10_000;
const DEFAULT_END_LIMIT_MS = 10_000;

/** One warm process; see above. */
export class WarmWorker {
  readonly loaded: Promise<Loaded>;
  /** Resolves when the process is gone and everything that it sent is handled, or when it was given up. */
  readonly ended: Promise<Exit>;
  readonly #options: WarmWorkerOptions;
  readonly #process: SpawnedProcess;
  readonly #runs = new Map<number, PendingRun>();
  readonly #loading: Watchdog;
  readonly #ending: Watchdog;
  readonly #loaded = latch<Loaded>();
  readonly #givenUp = latch<Exit>();
  // A process that closed its connection is of no use, and the spawner may not report that it ended.
  readonly #link = new WarmLink({ onAbuse: (reason) => this.#endFor(reason), onClose: () => this.terminate() });
  #nextId = 1;
  #isRetired = false;
  #exit: Exit | undefined;
  #reason: string | undefined;
  #isLate = false;
  #isOutputUsed = false;

  constructor(options: WarmWorkerOptions) {
    this.#options = options;
    const { server, spawner, path, env } = options;
    const { loadLimitMs = DEFAULT_LOAD_LIMIT_MS, endLimitMs = DEFAULT_END_LIMIT_MS } = options;
    const token = randomUUID();
    this.loaded = this.#loaded.promise;
    server.expect(token, {
      onConnect: (socket) => this.#link.connect(socket),
      onReport: (report, payload) => this.#handle(report, payload),
      onBad: (reason) => this.#endFor(`it sent an invalid report, ${reason}`),
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
    this.#loading = new Watchdog(loadLimitMs, () => {
      this.#isLate = this.#reason === undefined;
      this.#endFor(`it was not loaded within ${loadLimitMs / 1000} s`);
    });
    this.#loading.start();
    this.ended = this.#awaitEnd(token);
  }

  /** The number of runs started so far. */
  get runs(): number {
    return this.#nextId - 1;
  }

  get isIdle(): boolean {
    return this.#runs.size === 0;
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Why it was ended for exceeding a limit, for the log; undefined otherwise. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Starts a run; never rejects. `abort` asks the hook to end it. */
  run(
    { contexts, runId, traceparent }: Pick<ExecuteRequest, 'contexts' | 'runId' | 'traceparent'>,
    output: WarmOutput,
  ): { readonly outcome: Promise<Outcome>; abort(): void } {
    if (this.#exit !== undefined) {
      return { outcome: Promise.resolve(this.#endedWith(this.#exit)), abort: () => {} };
    }
    const id = this.#nextId++;
    const { promise: outcome, resolve: settle } = latch<Outcome>();
    this.#runs.set(id, { ...output, settle });
    if (this.#isOutputUsed) this.#process.refill();
    this.#isOutputUsed = false;
    const bytes = contexts.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    this.#link.beginRun();
    this.#link.send({ type: 'run', id, runId, bytes, ...(traceparent && { traceparent }) }, contexts);
    return { outcome, abort: () => this.#link.send({ type: 'abort', id }, []) };
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
    this.#link.endRun(this.#runs.size);
    if (this.#isRetired && this.isIdle) this.terminate();
  }

  /** The process was asked to end, and no end was reported: the spawner may be stopped itself. */
  #giveUp(limitMs: number): void {
    this.#process.kill();
    const message = `it did not end within ${limitMs / 1000} s`;
    this.#givenUp.resolve({
      timedOut: false,
      startError: { code: '', message, isShortage: true },
      stdout: '',
      stderr: '',
      usage: {},
    });
  }

  #endedWith(exit: Exit): Ended {
    return { type: 'ended', exit, reason: this.#reason, ...(this.#isLate && { isLate: true }) };
  }

  async #awaitEnd(token: string): Promise<Exit> {
    const exit = await Promise.race([this.#process.exit, this.#givenUp.promise]);
    this.#isRetired = true;
    this.#loading.stop();
    this.#ending.stop();
    this.#options.server.forget(token);
    await this.#link.close();
    this.#exit = exit;
    this.#ending.stop();
    this.#loaded.resolve(this.#endedWith(exit));
    for (const id of this.#runs.keys()) this.#settle(id, this.#endedWith(exit));
    return exit;
  }
}

function readOutputs(report: RunReport, payload: Buffer): WarmOutputs {
  const { patchBytes, admissionBytes = 0, conversionBytes = 0, resultBytes } = report;
  const resultAt = payload.length - resultBytes;
  const conversionAt = resultAt - conversionBytes;
  const admissionAt = conversionAt - admissionBytes;
  return {
    patch: payload.toString('utf8', 0, patchBytes),
    metrics: payload.toString('utf8', patchBytes, admissionAt),
    admission: payload.toString('utf8', admissionAt, conversionAt),
    conversion: payload.toString('utf8', conversionAt, resultAt),
    result: payload.toString('utf8', resultAt),
  };
}
