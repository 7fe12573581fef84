import type { PatchOperation } from '../../effects/operation.ts';
import { parseMetrics, type MetricOperation } from '../../effects/parse-metrics.ts';
import { parseOperations } from '../../effects/parse-operations.ts';
import { parseResult, type ParsedResult, type ResultScope } from '../../effects/read-result.ts';
import type { SlowTextBudget } from '../../effects/slow-text.ts';
import { HookOutputError } from '../../errors.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { checkFilter } from '../../units/filter-check.ts';

/** An output file of a hook, to be parsed. */
export type OutputJob = OperationsJob | ResultJob;

export interface OperationsJob {
  readonly name: 'patch' | 'metrics';
  readonly text: string;
}

export interface ResultJob {
  readonly name: 'result';
  readonly text: string;
  readonly scope: ResultScope;
}

/** The operations in an output file, and a warning for each likely mistake. */
export interface ParsedOutput<T> {
  readonly operations: readonly T[];
  readonly warnings: readonly string[];
}

/**
 * The result of a job in a thread: the operations as JSON arrays, each small enough to be parsed without a break, or what
 * a result file says.
 */
export type OutputJobResult =
  | { readonly type: 'read'; readonly batches: readonly string[]; readonly warnings: readonly string[] }
  | { readonly type: 'result'; readonly parsed: ParsedResult }
  /** The text of a `HookOutputError`. */
  | { readonly type: 'refused'; readonly message: string; readonly brief: string | undefined };

const NOTHING: ParsedOutput<never> = { operations: [], warnings: [] };
const BATCH_CHARS = 256 * 1024;
/** No API server accepts a larger request: its own limit is 3 MiB. */
const MAX_OPERATION_CHARS = 4 * 1024 * 1024;

/** Parses the file; throws `HookOutputError`, and `SlowTextError` when `budget` is spent. */
export function readOutputText({ name, text }: OperationsJob, budget?: SlowTextBudget): ParsedOutput<unknown> {
  // Most files are empty, and a parser of YAML takes a while to find that out.
  if (text === '') return NOTHING;
  return name === 'patch' ? parseOperations(text, checkJq, budget) : parseMetrics(text);
}

const checkJq = (expression: string): string | undefined => checkFilter({ type: 'jq', expression });

/** Parses the file without a budget, for a thread that may be slow. */
export function doOutputJob(job: OutputJob): OutputJobResult {
  try {
    if (job.name === 'result') return { type: 'result', parsed: parseResult(job.text, job.scope) };
    const { operations, warnings } = readOutputText(job);
    return { type: 'read', batches: batchesOf(operations), warnings };
  } catch (error) {
    if (error instanceof HookOutputError) return { type: 'refused', message: error.message, brief: error.brief };
    throw error;
  }
}

function batchesOf(operations: readonly unknown[]): readonly string[] {
  const batches: string[] = [];
  let batch: string[] = [];
  let chars = 0;
  const end = (): void => {
    if (batch.length > 0) batches.push(`[${batch.join()}]`);
    batch = [];
    chars = 0;
  };
  for (const [index, operation] of operations.entries()) {
    const text = JSON.stringify(operation);
    if (text.length > MAX_OPERATION_CHARS) throw new HookOutputError(tooLarge(index + 1, text.length));
    if (chars + text.length > BATCH_CHARS) end();
    batch.push(text);
    chars += text.length;
  }
  end();
  return batches;
}

function tooLarge(number: number, chars: number): string {
  return `operation ${number} has ${chars} characters, at most ${MAX_OPERATION_CHARS} are read, which is more than an API server accepts`;
}

/** The operations of a batch. The cast is safe: `doOutputJob` has checked and written them. */
export function readBatch<T extends PatchOperation | MetricOperation>(batch: string): readonly T[] {
  return parseExactJson(batch) as readonly T[];
}
