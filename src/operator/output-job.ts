import type { PatchOperation } from '../effects/operation.ts';
import { parseMetrics, type MetricOperation } from '../effects/parse-metrics.ts';
import { parseOperations } from '../effects/parse-operations.ts';
import type { SlowTextBudget } from '../effects/slow-text.ts';
import { HookOutputError } from '../errors.ts';
import { checkFilter } from '../units/filter-check.ts';

/** A file of a hook that is to be read. */
export interface OutputJob {
  readonly name: 'patch' | 'metrics';
  readonly text: string;
}

/** What the file asks for, and what is likely a mistake in it. */
export interface ParsedOutput<T> {
  readonly operations: readonly T[];
  readonly warnings: readonly string[];
}

/** What a thread says of a job: the operations as JSON, each text small enough to be parsed in one go. */
export type OutputJobResult =
  | { readonly type: 'read'; readonly batches: readonly string[]; readonly warnings: readonly string[] }
  /** The text of a `HookOutputError`. */
  | { readonly type: 'refused'; readonly message: string };

const BATCH_CHARS = 256 * 1024;
/** No API server takes a larger request: its own limit is 3 MiB. */
const MAX_OPERATION_CHARS = 4 * 1024 * 1024;

/** Reads the file; throws `HookOutputError`, and `SlowTextError` where the budget does not suffice. */
export function readOutputText({ name, text }: OutputJob, budget?: SlowTextBudget): ParsedOutput<unknown> {
  return name === 'patch' ? parseOperations(text, checkJq, budget) : parseMetrics(text);
}

const checkJq = (expression: string): string | undefined => checkFilter({ type: 'jq', expression });

/** Does the job wherever it takes no harm to be slow. */
export function doOutputJob(job: OutputJob): OutputJobResult {
  try {
    const { operations, warnings } = readOutputText(job);
    return { type: 'read', batches: batchesOf(operations), warnings };
  } catch (error) {
    if (error instanceof HookOutputError) return { type: 'refused', message: error.message };
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
  return `operation ${number} has ${chars} characters, at most ${MAX_OPERATION_CHARS} are read, which is more than an API server takes`;
}

/** The operations of a batch. The parsing edge: our own thread has checked them. */
export function readBatch<T extends PatchOperation | MetricOperation>(batch: string): readonly T[] {
  return JSON.parse(batch) as readonly T[];
}
