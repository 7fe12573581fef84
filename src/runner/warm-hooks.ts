import { HookFailedError } from '../errors.ts';
import type { HookFile } from '../hook/discover.ts';
import type { Logger } from '../log.ts';
import { failureMessage } from './failure.ts';
import type { OutputLog } from './output-log.ts';
import type { HookRun, RunResult } from './process-run.ts';
import { limitRun } from './run-limits.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import { WarmServer } from './warm-server.ts';
import { type Loaded, type Outcome, WarmWorker } from './warm-worker.ts';

const DEFAULT_MAX_RUNS = 10_000;
const DEFAULT_MAX_RSS_BYTES = 512 * 1024 * 1024;
const DEFAULT_GRACE_MS = 5000;

export interface WarmLimits {
  /** The process is replaced after so many runs; default 10,000. */
  readonly maxRuns?: number;
  /** The process is replaced when it has grown beyond this; default 512 MiB. */
  readonly maxRssBytes?: number;
  /** From asking a run to end until its process is ended; default 5 s. */
  readonly graceMs?: number;
}

export interface WarmHooksOptions {
  readonly spawner: Spawner;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: Logger;
  readonly outputLog: OutputLog;
  readonly limits: WarmLimits;
}

/** Keeps a process for each hook that is a module, and replaces it in time. */
export class WarmHooks {
  readonly #options: WarmHooksOptions;
  readonly #server: WarmServer;
  readonly #workers = new Map<string, WarmWorker>();

  constructor(options: WarmHooksOptions) {
    this.#options = options;
    this.#server = new WarmServer(options.folder);
  }

  /** Loads the module anew and tells its config as `hook --config` would. */
  async load(file: HookFile, timeoutMs: number, signal: AbortSignal): Promise<Exit> {
    await this.#server.open();
    const worker = this.#replace(file);
    const end = (): void => worker.terminate();
    const limits = limitRun({ timeoutMs, graceMs: () => 0, signal, onEnd: end, onKill: end });
    const loaded = await worker.loaded;
    limits.clear();
    if (loaded.type !== 'ready') this.#drop(file.path, worker);
    return toExit(loaded, limits.isTimedOut());
  }

  /** Runs the hook in its process, which is started if there is none. */
  async run(run: HookRun): Promise<RunResult> {
    const { hook, contexts, signal } = run;
    const { timeoutMs } = hook.settings;
    const worker = await this.#readyWorker(hook);
    const startedAt = performance.now();
    const started = worker.run(contexts, run);
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
    return toResult(run, settled, { durationMs: performance.now() - startedAt, isTimedOut });
  }

  async close(): Promise<void> {
    const workers = [...this.#workers.values()];
    this.#workers.clear();
    for (const worker of workers) worker.terminate();
    await Promise.all(workers.map((worker) => worker.ended));
    await this.#server.close();
  }

  async #readyWorker(hook: HookFile): Promise<WarmWorker> {
    await this.#server.open();
    for (;;) {
      const known = this.#workers.get(hook.path);
      const worker = known === undefined || known.isRetired ? this.#replace(hook) : known;
      const loaded = await worker.loaded;
      if (loaded.type !== 'ready') {
        this.#drop(hook.path, worker);
        const isEnvironmental = isLost(loaded);
        throw new HookFailedError(failureMessage(hook.name, ...describeLoad(loaded)), { isEnvironmental });
      }
      // It may have been replaced, by a reload for example, while we waited for it.
      if (!worker.isRetired) return worker;
    }
  }

  /** Starts a new process; the one before finishes its runs. */
  #replace(file: HookFile): WarmWorker {
    this.#workers.get(file.path)?.retire();
    const { spawner, env, log, outputLog } = this.#options;
    const onLine = (line: OutputLine): void => outputLog.line({ hook: file.name }, line);
    const worker = new WarmWorker({ spawner, server: this.#server, path: file.path, env, onLine });
    this.#workers.set(file.path, worker);
    void worker.ended.then(({ exitCode, signal, stderr }) => {
      if (this.#workers.get(file.path) !== worker) return;
      // Nobody waited for it, so nobody else reports it; the next run starts another.
      this.#workers.delete(file.path);
      const reason = signal ?? `exit code ${exitCode}`;
      log.warn({ hook: file.name, reason, stderr }, 'process of warm hook ended');
    });
    return worker;
  }

  #isWorn(worker: WarmWorker, { maxRssBytes = 0 }: Usage): boolean {
    const { maxRuns = DEFAULT_MAX_RUNS, maxRssBytes: limitBytes = DEFAULT_MAX_RSS_BYTES } = this.#options.limits;
    return worker.runs >= maxRuns || maxRssBytes > limitBytes;
  }

  /** Has the next process ready before it is needed. */
  #renew(hook: HookFile, worker: WarmWorker): void {
    if (this.#workers.get(hook.path) === worker) this.#replace(hook);
    else worker.retire();
  }

  #drop(path: string, worker: WarmWorker): void {
    if (this.#workers.get(path) === worker) this.#workers.delete(path);
    worker.terminate();
  }
}

function toExit(loaded: Loaded, timedOut: boolean): Exit {
  switch (loaded.type) {
    case 'ready':
      return { exitCode: 0, timedOut, stdout: loaded.config, stderr: '', usage: {} };
    case 'broken':
      return { exitCode: 1, timedOut, stdout: '', stderr: loaded.error, usage: {} };
    case 'ended':
      return { ...loaded.exit, timedOut };
  }
}

interface Circumstances {
  readonly durationMs: number;
  readonly isTimedOut: boolean;
}

function toResult({ hook, signal }: HookRun, outcome: Outcome, { durationMs, isTimedOut }: Circumstances): RunResult {
  if (outcome.type === 'done' && !isTimedOut) {
    return { durationMs, usage: outcome.usage, outputs: { ...outcome.outputs, admission: '', conversion: '' } };
  }
  const usage = outcome.type === 'ended' ? outcome.exit.usage : outcome.usage;
  const { patch, metrics } = outcome.type === 'failed' ? outcome : { patch: '', metrics: '' };
  const failure = { durationMs, usage, timedOut: isTimedOut, patch, metrics };
  const [reason, detail] = describeOutcome(outcome, signal.aborted);
  const limit = `it ran longer than its time limit of ${hook.settings.timeoutMs} ms and was ended`;
  const isEnvironmental = isLost(outcome);
  throw new HookFailedError(failureMessage(hook.name, isTimedOut ? limit : reason, detail), {
    failure,
    isEnvironmental,
  });
}

function isLost(result: Loaded | Outcome): boolean {
  return result.type === 'ended' && result.exit.isLost === true;
}

type Description = readonly [reason: string, detail: string];

function describeLoad(loaded: Exclude<Loaded, { type: 'ready' }>): Description {
  if (loaded.type === 'broken') return ['its module could not be loaded', loaded.error];
  return [`its process ended before its module was loaded (${describeExit(loaded.exit)})`, loaded.exit.stderr];
}

function describeOutcome(outcome: Outcome, isStopped: boolean): Description {
  if (outcome.type === 'done') return ['', ''];
  if (isStopped) return ['it was ended because the operator stops', ''];
  if (outcome.type === 'failed') return ['its function threw', outcome.error];
  return [`its process ended during the run (${describeExit(outcome.exit)})`, outcome.exit.stderr];
}

function describeExit({ startError, signal, exitCode }: Exit): string {
  return startError?.message ?? signal ?? `exit code ${exitCode}`;
}
