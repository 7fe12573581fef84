import { HookFailedError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import type { HookFile } from '../hook/discover.ts';
import { abortable } from '../lib/abortable.ts';
import type { Logger } from '../log.ts';
import type { Execution, ExecuteRequest, Executor, FailedExecution, RunCost } from './executor.ts';
import { failureMessage, overtimeText } from './failure.ts';
import type { OutputLog } from './output-log.ts';
import { limitRun } from './run-limits.ts';
import type { Spawner } from './spawner.ts';
import type { Exit, OutputLine, Usage } from './spawner-protocol.ts';
import { WarmServer } from './warm-server.ts';
import { type Ended, type Loaded, type Outcome, WarmWorker } from './warm-worker.ts';

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
  /** From the start of a process until its module must be loaded; default 10 s. */
  readonly loadLimitMs?: number;
  /** From asking for the end of a process until it counts as ended; default 10 s. */
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

/** Keeps a process for each hook that is a module, and replaces it in time. */
export class WarmHooks implements Executor {
  readonly #options: WarmHooksOptions;
  readonly #server: WarmServer;
  /** The process for the next run, by the path of its hook. */
  readonly #workers = new Map<string, WarmWorker>();
  /** All that have not ended, those that were replaced too. */
  readonly #living = new Set<WarmWorker>();
  #isClosed = false;

  constructor(options: WarmHooksOptions) {
    this.#options = options;
    this.#server = new WarmServer(options.folder);
  }

  /** Loads the module anew and tells its config as `hook --config` would; never rejects. */
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

  /** Runs the hook in its process, which is started if there is none; never rejects. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<Execution> {
    const { hook, contexts, onOutput } = request;
    const { timeoutMs } = hook.settings;
    const ready = await this.#readyWorker(hook, signal);
    if (ready.type === 'failed') return ready;
    const { worker } = ready;
    const startedAt = performance.now();
    const started = worker.run(contexts, {
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
    });
  }

  /** Ends all processes; none is started after this. */
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
      if (loaded === undefined) return notReady(hook, ['the operator stops before its module is loaded', '']);
      if (loaded.type !== 'ready') {
        this.#drop(hook.path, worker);
        return notReady(hook, describeLoad(loaded), { by: blameOf(loaded) });
      }
      // It may have been replaced, by a reload for example, while we waited for it.
      if (!worker.isRetired) return { type: 'ready', worker };
    }
  }

  async #start(hook: HookFile): Promise<WarmWorker> {
    await this.#server.open();
    // Another run may have started one meanwhile.
    const known = this.#workers.get(hook.path);
    return known === undefined || known.isRetired ? this.#replace(hook) : known;
  }

  /** Starts a new process; the one before finishes its runs. */
  #replace(file: HookFile): WarmWorker {
    this.#workers.get(file.path)?.retire();
    const { spawner, env, log, outputLog, limits } = this.#options;
    const { loadLimitMs, endLimitMs } = limits;
    const onLine = (line: OutputLine): void => outputLog.line({ hook: file.name }, line);
    const { path } = file;
    const worker = new WarmWorker({ spawner, server: this.#server, path, env, onLine, loadLimitMs, endLimitMs });
    this.#workers.set(path, worker);
    this.#living.add(worker);
    // Asked for at the very moment of the end.
    if (this.#isClosed) worker.terminate();
    void worker.ended.then((exit) => {
      this.#living.delete(worker);
      const isExpected = this.#workers.get(path) !== worker;
      if (!isExpected) this.#workers.delete(path);
      // Nobody waited for it, so nobody else reports it; the next run starts another.
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

/** Undefined when the signal comes first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await abortable(promise, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function notStarted(error: unknown): Exit {
  const startError = { code: '', message: messageOf(error) };
  return { timedOut: false, startError, stdout: '', stderr: '', usage: {} };
}

function toExit(loaded: Loaded): Exit {
  switch (loaded.type) {
    case 'ready':
      return { exitCode: 0, timedOut: false, stdout: loaded.config, stderr: '', usage: {} };
    case 'broken':
      return { exitCode: 1, timedOut: false, stdout: '', stderr: loaded.error, usage: {} };
    case 'ended':
      return loaded.reason === undefined
        ? loaded.exit
        : { ...loaded.exit, startError: { code: '', message: loaded.reason } };
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

interface Circumstances {
  readonly cost: RunCost;
  readonly isTimedOut: boolean;
  readonly isStopped: boolean;
}

function toExecution(hook: Hook, outcome: Outcome, { cost, isTimedOut, isStopped }: Circumstances): Execution {
  if (outcome.type === 'done' && !isTimedOut) {
    return { type: 'exited', cost, outputs: { ...outcome.outputs, admission: '', conversion: '' } };
  }
  const [reason, detail] = describeOutcome(outcome, isStopped);
  const message = failureMessage(hook.name, isTimedOut ? overtimeText(hook.settings.timeoutMs) : reason, detail);
  const error = new HookFailedError(message, { ending: { timedOut: isTimedOut } });
  const outputs = outcome.type === 'failed' ? { outputs: outcome.outputs } : {};
  return { type: 'failed', by: blameOf(outcome), error, cost, ...outputs };
}

function blameOf(result: Loaded | Outcome): 'hook' | 'environment' {
  return result.type === 'ended' && result.exit.isLost === true ? 'environment' : 'hook';
}

type Description = readonly [reason: string, detail: string];

function describeLoad(loaded: Exclude<Loaded, { type: 'ready' }>): Description {
  if (loaded.type === 'broken') return ['its module could not be loaded', loaded.error];
  return [`its process ended before its module was loaded (${describeEnd(loaded)})`, loaded.exit.stderr];
}

function describeOutcome(outcome: Outcome, isStopped: boolean): Description {
  if (outcome.type === 'done') return ['', ''];
  if (isStopped) return ['it was ended because the operator stops', ''];
  if (outcome.type === 'failed') return [outcome.reason, outcome.error];
  return [`its process ended during the run (${describeEnd(outcome)})`, outcome.exit.stderr];
}

function describeEnd({ reason, exit }: Ended): string {
  return reason ?? describeExit(exit);
}

function describeExit({ startError, signal, exitCode }: Exit): string {
  return startError?.message ?? signal ?? `exit code ${exitCode}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
