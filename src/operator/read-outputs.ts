import type { PatchOperation } from '../effects/operation.ts';
import type { MetricOperation } from '../effects/parse-metrics.ts';
import { SlowTextBudget, SlowTextError } from '../effects/slow-text.ts';
import { HookOutputError } from '../errors.ts';
import { abortable } from '../lib/abortable.ts';
import { eventually } from '../lib/deadline.ts';
import { latch, type Latch } from '../lib/latch.ts';
import { nextTurn } from '../lib/turn.ts';
import { siblingModule } from '../runner/sibling-module.ts';
import { readBatch, readOutputText, type OutputJob, type OutputJobResult, type ParsedOutput } from './output-job.ts';

/** So much is read where it is: it takes a few milliseconds. What is more goes to a thread of its own. */
const INLINE_CHARS = 1024 * 1024;
const INLINE_SLOW_CHARS = 32 * 1024;
const TIME_LIMIT_MS = 30_000;
// Out of reach: what may be written bounds what its values take, and Node may abort the whole process for a thread that
// runs out of memory.
const MEMORY_LIMIT_MIB = 2048;
/** One thread for JSON, and one for what is fifty times as slow: neither waits for the other. */
const THREADS_A_LANE = 1;

const TITLES = { patch: 'KUBERNETES_PATCH_PATH', metrics: 'METRICS_PATH' } as const;

/** Reads what hooks wrote without holding up the event loop, however large it is. */
export interface OutputReader {
  /** Rejects with `HookOutputError`, or with the reason of `signal`. */
  patch(text: string, signal: AbortSignal): Promise<ParsedOutput<PatchOperation>>;
  metrics(text: string, signal: AbortSignal): Promise<ParsedOutput<MetricOperation>>;
}

export interface OutputReaderOptions {
  /** Default 30 s. */
  readonly timeLimitMs?: number;
}

export function createOutputReader(options: OutputReaderOptions = {}): OutputReader {
  const json = new Slots(THREADS_A_LANE);
  const slow = new Slots(THREADS_A_LANE);
  const read = async <T extends PatchOperation | MetricOperation>(
    job: OutputJob,
    signal: AbortSignal,
  ): Promise<ParsedOutput<T>> =>
    readHere<T>(job) ??
    (looksLikeJson(job) ? json : slow).during(async () => readInThread<T>(job, options, signal), signal);
  return {
    patch: async (text, signal) => read({ name: 'patch', text }, signal),
    metrics: async (text, signal) => read({ name: 'metrics', text }, signal),
  };
}

function looksLikeJson({ text }: OutputJob): boolean {
  return /^\s*[{[]/.test(text);
}

/** Undefined where it would take too long. */
function readHere<T>(job: OutputJob): ParsedOutput<T> | undefined {
  if (job.text.length > INLINE_CHARS) return undefined;
  try {
    // The parsing edge: what is read of a patch are patch operations.
    return readOutputText(job, new SlowTextBudget(INLINE_SLOW_CHARS)) as ParsedOutput<T>;
  } catch (error) {
    if (error instanceof SlowTextError) return undefined;
    throw error;
  }
}

async function readInThread<T extends PatchOperation | MetricOperation>(
  job: OutputJob,
  options: OutputReaderOptions,
  signal: AbortSignal,
): Promise<ParsedOutput<T>> {
  const result = await resultOf(job, options, signal);
  if (result.type === 'refused') throw new HookOutputError(result.message);
  const operations: T[] = [];
  for (const batch of result.batches) {
    for (const operation of readBatch<T>(batch)) operations.push(operation);
    await nextTurn();
  }
  return { operations, warnings: result.warnings };
}

async function resultOf(
  job: OutputJob,
  { timeLimitMs = TIME_LIMIT_MS }: OutputReaderOptions,
  signal: AbortSignal,
): Promise<OutputJobResult> {
  const title = TITLES[job.name];
  // Loading it takes as long as starting a hook, and few operators ever need it.
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(siblingModule('output-thread', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MIB },
  });
  const late = (): never => {
    const advice = 'write less in one run, and JSON rather than YAML';
    throw new HookOutputError(`${title} cannot be read within ${timeLimitMs / 1000} s; ${advice}`);
  };
  return eventually<OutputJobResult>({ limitMs: timeLimitMs, late, signal }, ({ resolve, reject }) => {
    worker.once('message', resolve);
    worker.once('error', (error) => reject(new HookOutputError(`${title} could not be read: ${messageOf(error)}`)));
    worker.once('exit', () => reject(new HookOutputError(`${title} could not be read, its thread ended`)));
    return () => worker.terminate();
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Lets so many work at once; the others wait in order. */
class Slots {
  #free: number;
  readonly #waiting: Latch<void>[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async during<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next.resolve();
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const turn = latch();
    this.#waiting.push(turn);
    try {
      await abortable(turn.promise, signal);
    } catch (error) {
      const place = this.#waiting.indexOf(turn);
      // It had its turn in the moment in which it gave up.
      if (place === -1) this.#release();
      else this.#waiting.splice(place, 1);
      throw error;
    }
  }
}
