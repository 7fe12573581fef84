import { readFile } from 'node:fs/promises';
import { UsageError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import type { Runner } from '../runner/runner.ts';

/** What a hook asked for, told to people, and what is likely a mistake in it. */
export interface DescribedOutput {
  readonly operations: readonly string[];
  readonly warnings: readonly string[];
}

export interface RunOnceOptions {
  readonly runner: Pick<Runner, 'run'>;
  readonly hook: Hook;
  /** The binding contexts as JSON text. */
  readonly context: string;
  readonly describeOperations: (text: string) => DescribedOutput;
  readonly describeMetrics: (text: string) => DescribedOutput;
  /** Takes the report, newlines included. */
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs one hook once with the given contexts and prints what it would apply: nothing is sent to a cluster. Rejects with
 * `UsageError` for a context that is none, and with what the operator would report of a run that failed.
 */
export async function runOnce(options: RunOnceOptions): Promise<void> {
  const { runner, hook, context, write, signal } = options;
  checkContext(context);
  const request = { hook, contexts: [Buffer.from(context)], fields: {} };
  const { outputs, durationMs } = await runner.run(request, signal);
  const patches = options.describeOperations(outputs.patch);
  const metrics = options.describeMetrics(outputs.metrics);
  write(describeOutput('patch', patches));
  write(describeOutput('metric', metrics));
  for (const name of ['admission', 'conversion'] as const) {
    if (outputs[name] !== '') write(`${name} response ${outputs[name].trim()}\n`);
  }
  const asked = `${patches.operations.length} patch operation(s) and ${metrics.operations.length} metric(s)`;
  write(`hook ${hook.name} succeeded in ${Math.round(durationMs)} ms and asked for ${asked}\n`);
}

/** Reads the text of `--context`: a file, or `-` for standard input. */
export async function readContext(source: string, input: AsyncIterable<string | Uint8Array>): Promise<string> {
  if (source !== '-') return readContextFile(source);
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

async function readContextFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--context ${path} cannot be read: ${reason}`, { cause: error });
  }
}

function checkContext(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--context is not JSON: ${reason}`, { cause: error });
  }
  if (Array.isArray(value) && value.every((element) => typeof element === 'object' && element !== null)) return;
  throw new UsageError(
    `--context must be a JSON array of binding contexts, such as [{"binding":"onStartup"}], but is ${text.trim().slice(0, 60)}`,
  );
}

function describeOutput(label: string, { operations, warnings }: DescribedOutput): string {
  const lines = operations.map((operation) => `${label} ${operation}\n`);
  return [...lines, ...warnings.map((warning) => `warning: ${warning}\n`)].join('');
}
