/*
 * The executor of warm hooks: TypeScript and JavaScript modules that export a definition. Each hook has one current
 * process, which loads the module once and serves all its runs; `runner.ts` calls `readConfig` at each load of the
 * hook, which starts a new process, and `execute` for each attempt. A process is current, retired (replaced, finishes
 * its runs), or ended. It is replaced when the hook is reloaded, when a run timed out in it, when it has served too
 * many runs or uses too much memory, and dropped when it died or did not load. What must hold: `execute` and
 * `readConfig` never reject, a run never starts in a retired process, and `close` leaves no process behind.
 */

import { HookFailedError } from '../errors.ts';
import type { HookFile } from '../hook/discover.ts';
import { abortable } from '../lib/abortable.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Logger } from '../log.ts';
import type { Execution, ExecuteRequest, Executor, FailedExecution } from './executor.ts';
import { failureMessage, stopText } from './failure.ts';
import type { OutputLog } from './output-log.ts';
import { limitRun } from './run-limits.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import { WarmServer } from './warm-server.ts';
import { blameOf, describeExit, describeLoad, toExecution, toExit, type Description } from './warm-outcome.ts';
import { WarmWorker } from './warm-worker.ts';

const DEFAULT_MAX_RUNS = 10_000;
const DEFAULT_MAX_RSS_BYTES = 512 * 1024 * 1024;
const DEFAULT_GRACE_MS = 5000;

/** The limits of warm processes. */
export interface WarmLimits {
  /** A process is replaced after this many runs; default 10,000. */
  readonly maxRuns?: number;
  /** A process is replaced when it uses more memory than this; default 512 MiB. */
  readonly maxRssBytes?: number;
  /** Time from asking a run to end until its process is ended; default 5 s. */
  readonly graceMs?: number;
  /** Limit from the start of a process until its module is loaded; default 10 s. */
  readonly loadLimitMs?: number;
  /** Limit from asking a process to end until it counts as ended; default 10 s. */
  readonly endLimitMs?: number;
}

export interface WarmHooksOptions {
  readonly spawner: Spawner;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: Logger;
  readonly outputLog: OutputLog;
  readonly limits: WarmLimits;
}

/** The executor of warm hooks; see above. */
export class WarmHooks implements Executor {
  readonly #options: WarmHooksOptions;
  readonly #server: WarmServer;
  /** The current process of each hook, by the path of the hook. */
  readonly #workers = new Map<string, WarmWorker>();
  /** All processes that have not ended, including retired ones. */
  readonly #living = new Set<WarmWorker>();
  #isClosed = false;

  constructor(options: WarmHooksOptions) {
    this.#options = options;
    this.#server = new WarmServer(options.folder);
  }

  /** Loads the module in a new process, and returns its config as `hook --config` would; never rejects. */
  async readConfig(file: HookFile, signal: AbortSignal): Promise<Exit> {
    try {
      await this.#server.open();
    } catch (error) {
      return notStarted(error);
    }
    const worker = this.#replace(file);
    const end = (): void => worker.terminate();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    const loaded = await worker.loaded;
    signal.removeEventListener('abort', end);
    if (loaded.type !== 'ready') this.#drop(file.path, worker);
    return toExit(loaded);
  }

  /** Runs the hook in its current process, and starts one if there is none; never rejects. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<Execution> {
    const { hook, onOutput } = request;
    const { timeoutMs } = hook.settings;
    const ready = await this.#readyWorker(hook, signal);
    if (ready.type === 'failed') return ready;
    const { worker } = ready;
    const startedAt = performance.now();
    const started = worker.run(request, {
      onLine: (line) => onOutput({ type: 'line', line }),
      onLog: (entry) => onOutput({ type: 'entry', entry }),
    });
    const graceMs = (): number => this.#options.limits.graceMs ?? DEFAULT_GRACE_MS;
    const limits = limitRun({
      timeoutMs,
      graceMs,
      signal,
      onEnd: () => started.abort(),
      onKill: () => worker.terminate(),
    });
    const settled = await started.outcome;
    limits.clear();
    const isTimedOut = limits.isTimedOut();
    if (settled.type === 'ended') this.#drop(hook.path, worker);
    else if (isTimedOut || this.#isWorn(worker, settled.usage)) this.#renew(hook, worker);
    const usage = settled.type === 'ended' ? settled.exit.usage : settled.usage;
    return toExecution(hook, settled, {
      cost: { durationMs: performance.now() - startedAt, usage },
      isTimedOut,
      isStopped: signal.aborted,
      why: stopText(signal),
    });
  }

  /** Ends all processes; none is started afterward. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = this.#server.close();
    this.#workers.clear();
    const living = [...this.#living];
    for (const worker of living) worker.terminate();
    await Promise.all(living.map(async (worker) => worker.ended));
    await closing;
  }

  async #readyWorker(hook: HookFile, signal: AbortSignal): Promise<ReadyWorker | FailedExecution> {
    for (;;) {
      const known = this.#workers.get(hook.path);
      let worker = known;
      if (worker === undefined || worker.isRetired) {
        try {
          worker = await this.#start(hook);
        } catch (cause) {
          return notReady(hook, [`its process cannot be started: ${messageOf(cause)}`, ''], {
            by: 'environment',
            cause,
          });
        }
      }
      const loaded = await unlessAborted(worker.loaded, signal);
      if (loaded === undefined) return notReady(hook, ['the operator is stopping, its module was not loaded', '']);
      if (loaded.type !== 'ready') {
        this.#drop(hook.path, worker);
        return notReady(hook, describeLoad(loaded), { by: blameOf(loaded) });
      }
      // It may have been replaced while it was loading, for example by a reload.
      if (!worker.isRetired) return { type: 'ready', worker };
    }
  }

  async #start(hook: HookFile): Promise<WarmWorker> {
    await this.#server.open();
    // Another run may have started a process meanwhile.
    const known = this.#workers.get(hook.path);
    return known === undefined || known.isRetired ? this.#replace(hook) : known;
  }

  /** Starts a new current process; the previous one finishes its runs. */
  #replace(file: HookFile): WarmWorker {
    this.#workers.get(file.path)?.retire();
    const { spawner, env, log, outputLog, limits } = this.#options;
    const { loadLimitMs, endLimitMs } = limits;
    const onLine = (line: OutputLine): void => outputLog.line({ hook: file.name }, line);
    const { path } = file;
    const worker = new WarmWorker({ spawner, server: this.#server, path, env, onLine, loadLimitMs, endLimitMs });
    this.#workers.set(path, worker);
    this.#living.add(worker);
    // `close` has not seen this process.
    if (this.#isClosed) worker.terminate();
    void worker.ended.then((exit) => {
      this.#living.delete(worker);
      const isExpected = this.#workers.get(path) !== worker;
      if (!isExpected) this.#workers.delete(path);
      // No run was waiting for the current process, so its end is logged here; the next run starts another.
      const reason = worker.reason ?? (isExpected ? undefined : describeExit(exit));
      if (reason === undefined) return;
      log.warn({ hook: file.name, reason, stderr: exit.stderr }, 'process of warm hook ended');
    });
    return worker;
  }

  #isWorn(worker: WarmWorker, { maxRssBytes = 0 }: Usage): boolean {
    const { maxRuns = DEFAULT_MAX_RUNS, maxRssBytes: limitBytes = DEFAULT_MAX_RSS_BYTES } = this.#options.limits;
    return worker.runs >= maxRuns || maxRssBytes > limitBytes;
  }

  /** Replaces a process ahead of the next run. */
  #renew(hook: HookFile, worker: WarmWorker): void {
    if (this.#workers.get(hook.path) === worker) this.#replace(hook);
    else worker.retire();
  }

  #drop(path: string, worker: WarmWorker): void {
    if (this.#workers.get(path) === worker) this.#workers.delete(path);
    worker.terminate();
  }
}

/** Resolves with undefined when the signal aborts first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await abortable(promise, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

interface ReadyWorker {
  readonly type: 'ready';
  readonly worker: WarmWorker;
}

function notReady(
  hook: HookFile,
  description: Description,
  { by = 'hook', cause }: { readonly by?: FailedExecution['by']; readonly cause?: unknown } = {},
): FailedExecution {
  return { type: 'failed', by, error: new HookFailedError(failureMessage(hook.name, ...description), { cause }) };
}

function notStarted(error: unknown): Exit {
  const startError = { code: '', message: messageOf(error), isShortage: true } as const;
  return { timedOut: false, startError, stdout: '', stderr: '', usage: {} };
}
