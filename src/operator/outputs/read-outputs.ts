import type { PatchOperation } from '../../effects/operation.ts';
import type { MetricOperation } from '../../effects/parse-metrics.ts';
import { parseResult, type ParsedResult, type ResultScope } from '../../effects/read-result.ts';
import { SlowTextBudget, SlowTextError } from '../../effects/slow-text.ts';
import { HookOutputError } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import { eventually } from '../../lib/deadline.ts';
import { latch, type Latch } from '../../lib/latch.ts';
import { nextTurn } from '../../lib/turn.ts';
import { messageOf } from '../../lib/message-of.ts';
import { siblingModule } from '../../runner/sibling-module.ts';
import {
  readBatch,
  readOutputText,
  type OperationsJob,
  type OutputJob,
  type OutputJobResult,
  type ParsedOutput,
  type ResultJob,
} from './output-job.ts';

/** A file up to this size is parsed on the main thread, which takes a few milliseconds; a larger one in a thread. */
const INLINE_CHARS = 1024 * 1024;
/** The same for a result, whose fields are checked one by one. */
const INLINE_RESULT_CHARS = 64 * 1024;
/** The same for text that is slow to parse, such as YAML. */
const INLINE_SLOW_CHARS = 32 * 1024;
const TIME_LIMIT_MS = 30_000;
// Higher than a thread can need, since the size of output files is limited: Node may abort the whole process when a
// thread runs out of memory.
const MEMORY_LIMIT_MIB = 2048;
/** For JSON, and as many for slow text, which takes fifty times as long: neither waits for the other. */
const THREADS_A_LANE = 1;

const TITLES = { patch: 'KUBERNETES_PATCH_PATH', metrics: 'METRICS_PATH', result: 'RESULT_PATH' } as const;

/**
 * Parses the output files of hooks without blocking the event loop, whatever their size. `createEffects` has one for
 * all runs.
 *
 * A file is parsed on the main thread where that takes a few milliseconds: up to `INLINE_CHARS` of JSON, of a result up
 * to `INLINE_RESULT_CHARS`, with at most `INLINE_SLOW_CHARS` of slow text. Any other file is parsed in a new thread, within a time limit. There are two lanes,
 * for JSON and for slow text, and in each lane one file is parsed at a time, in order. The result of a thread comes as
 * batches of JSON, with a turn of the event loop after each.
 */
export interface OutputReader {
  /** Rejects with `HookOutputError`, or with the reason of `signal`. */
  patch(text: string, signal: AbortSignal): Promise<ParsedOutput<PatchOperation>>;
  metrics(text: string, signal: AbortSignal): Promise<ParsedOutput<MetricOperation>>;
  result(text: string, scope: ResultScope, signal: AbortSignal): Promise<ParsedResult>;
}

export interface OutputReaderOptions {
  /** Default 30 s. */
  readonly timeLimitMs?: number;
  /** The file that a thread runs; default: the one beside this. */
  readonly thread?: string;
}

/** Creates a reader, whose lanes all runs share. */
export function createOutputReader(options: OutputReaderOptions = {}): OutputReader {
  const json = new Slots(THREADS_A_LANE);
  const slow = new Slots(THREADS_A_LANE);
  const during = async <T>(job: OutputJob, work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    (looksLikeJson(job) ? json : slow).during(work, signal);
  const read = async <T extends PatchOperation | MetricOperation>(
    job: OperationsJob,
    signal: AbortSignal,
  ): Promise<ParsedOutput<T>> =>
    // The cast is safe: a patch file contains patch operations, a metrics file metric operations.
    readHere(job, (budget) => readOutputText(job, budget) as ParsedOutput<T>) ??
    during(job, async () => readInThread<T>(job, options, signal), signal);
  return {
    result: async (text, scope, signal) => {
      const job = { name: 'result', text, scope } as const;
      return (
        readHere(job, (budget) => parseResult(text, scope, budget)) ??
        during(job, async () => readResultInThread(job, options, signal), signal)
      );
    },
    patch: async (text, signal) => read({ name: 'patch', text }, signal),
    metrics: async (text, signal) => read({ name: 'metrics', text }, signal),
  };
}

function looksLikeJson({ text }: OutputJob): boolean {
  return /^\s*[{[]/.test(text);
}

/** Parses on the main thread; returns undefined where that would take too long. */
function readHere<T>({ name, text }: OutputJob, parse: (budget: SlowTextBudget) => T): T | undefined {
  if (text.length > (name === 'result' ? INLINE_RESULT_CHARS : INLINE_CHARS)) return undefined;
  try {
    return parse(new SlowTextBudget(INLINE_SLOW_CHARS));
  } catch (error) {
    if (error instanceof SlowTextError) return undefined;
    throw error;
  }
}

async function readInThread<T extends PatchOperation | MetricOperation>(
  job: OperationsJob,
  options: OutputReaderOptions,
  signal: AbortSignal,
): Promise<ParsedOutput<T>> {
  const result = await resultOf(job, options, signal);
  if (result.type === 'refused') throw new HookOutputError(result.message, { brief: result.brief });
  if (result.type !== 'read') throw new TypeError('a result came for operations');
  const operations: T[] = [];
  for (const batch of result.batches) {
    for (const operation of readBatch<T>(batch)) operations.push(operation);
    await nextTurn();
  }
  return { operations, warnings: result.warnings };
}

async function readResultInThread(
  job: ResultJob,
  options: OutputReaderOptions,
  signal: AbortSignal,
): Promise<ParsedResult> {
  const result = await resultOf(job, options, signal);
  if (result.type === 'refused') throw new HookOutputError(result.message, { brief: result.brief });
  if (result.type !== 'result') throw new TypeError('operations came for a result');
  return result.parsed;
}

async function resultOf(
  job: OutputJob,
  { timeLimitMs = TIME_LIMIT_MS, thread = siblingModule('output-thread', import.meta.url) }: OutputReaderOptions,
  signal: AbortSignal,
): Promise<OutputJobResult> {
  const title = TITLES[job.name];
  // Loaded on demand: that takes as long as starting a hook, and few operators ever need it.
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(thread, {
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

/** Limits how many calls work at the same time; the others wait in order. */
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
      // The slot was assigned to this call just before its signal aborted.
      if (place === -1) this.#release();
      else this.#waiting.splice(place, 1);
      throw error;
    }
  }
}
