import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { describeResult } from '../../effects/describe-result.ts';
import { parseResult } from '../../effects/read-result.ts';
import { UsageError } from '../../errors.ts';
import type { Hook } from '../../hook/binding.ts';
import type { HookResult } from '../../hook/result.ts';
import { shown } from '../../lib/shown.ts';
import { messageOf } from '../../lib/message-of.ts';
import { isObject } from '../../lib/json-object.ts';
import { failureBySaying, saidOutcome } from '../../run/classify.ts';
import type { Execution, Executor, HookOutput } from '../../runner/executor.ts';
import { answersOf, type AnsweredContext } from './answered.ts';
import { readAll } from './object-input.ts';
import { bindingName } from './choose-binding.ts';
import { scopeOf } from './scope.ts';

/** The operations that a hook asked for, as text for people, and warnings about likely mistakes. */
export interface DescribedOutput {
  readonly operations: readonly string[];
  readonly warnings: readonly string[];
}

export interface RunOnceOptions {
  readonly executor: Pick<Executor, 'execute'>;
  readonly hook: Hook;
  /** The binding contexts as JSON text. */
  readonly context: string;
  readonly describeOperations: (text: string) => DescribedOutput;
  readonly describeMetrics: (text: string) => DescribedOutput;
  /** Called with each piece of the hook's output. */
  readonly onOutput: (output: HookOutput) => void;
  /** Called with each piece of the report, newlines included. */
  readonly write: (text: string) => void;
  /** `RUN_ID` of the hook. Default: a new one. */
  readonly runId?: string;
  readonly signal: AbortSignal;
}

/**
 * Runs one hook once with the given contexts and prints what it would apply, and what it says about its run; nothing is
 * sent to a cluster. Rejects with `UsageError` for an invalid context, and with the error that the operator would report
 * for a failed run. A run whose work cannot be done yet has not failed. Resolves to the children that it answered with.
 */
export async function runOnce(options: RunOnceOptions): Promise<readonly AnsweredContext[]> {
  const { executor, hook, context, onOutput, write, signal, runId = randomUUID() } = options;
  const contexts = readContexts(context, hook);
  const execution = await executor.execute({ hook, contexts: [Buffer.from(context)], runId, onOutput }, signal);
  const result = showResult(execution, contexts, write);
  const outcome = isCutOff(execution) ? 'failed' : saidOutcome(execution, result);
  if (outcome === 'permanent') write(`hook ${hook.name} would not be run again until its input changes\n`);
  if (execution.type === 'failed') throw execution.error;
  if (outcome === 'failed' || outcome === 'permanent') throw failureBySaying(hook.name, outcome, result);
  const answers = await answersOf({ hook, contexts, result, outcome });
  const { outputs, cost } = execution;
  const patches = options.describeOperations(outputs.patch);
  const metrics = options.describeMetrics(outputs.metrics);
  write(describeOutput('patch', patches));
  write(describeOutput('metric', metrics));
  for (const name of ['admission', 'conversion'] as const) {
    if (outputs[name] !== '') write(`${name} response ${outputs[name].trim()}\n`);
  }
  const asked = `${patches.operations.length} patch operation(s) and ${metrics.operations.length} metric(s)`;
  const ended = outcome === 'later' ? 'is to be run again later, ended' : 'succeeded';
  write(`hook ${hook.name} ${ended} in ${Math.round(cost.durationMs)} ms and asked for ${asked}\n`);
  return answers;
}

/** Prints the result of the run; one that cannot be read is the error of a run that has not failed by itself. */
function showResult(
  execution: Execution,
  contexts: readonly Readonly<Record<string, unknown>>[],
  write: (text: string) => void,
): HookResult | undefined {
  const text = execution.outputs?.result ?? '';
  if (text === '') return undefined;
  try {
    const { result, warnings } = parseResult(text, scopeOf(contexts));
    write(describeOutput('result', { operations: result === undefined ? [] : describeResult(result), warnings }));
    return result;
  } catch (error) {
    if (execution.type === 'exited') throw error;
    write(`warning: ${messageOf(error)}\n`);
    return undefined;
  }
}

function isCutOff(execution: Execution): boolean {
  return execution.type === 'failed' && execution.isCutOff === true;
}

/** Reads the text of a flag such as `--object`: a file, or `-` for standard input. */
export async function readInput(
  flag: '--context' | '--object' | '--owned' | '--watched',
  source: string,
  input: AsyncIterable<string | Uint8Array>,
): Promise<string> {
  const bounds = { source: `${flag} ${source}`, max: MAX_INPUT };
  try {
    return await readAll(source === '-' ? input : createReadStream(source), bounds);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = messageOf(error);
    throw new UsageError(`${bounds.source} cannot be read: ${reason}`, { cause: error });
  }
}

/** Far above the size of real binding contexts. */
const MAX_INPUT = 64 * 1024 * 1024;

function readContexts(text: string, hook: Hook): readonly Readonly<Record<string, unknown>>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`--context is not JSON: ${reason}`, { cause: error });
  }
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw new UsageError(
      `--context must be a JSON array of binding contexts, such as [{"binding":"onStartup"}], but is ${text.trim().slice(0, 60)}`,
    );
  }
  checkBindings(value, hook);
  return value;
}

/** Refuses contexts of another hook's bindings: the hook would most likely do nothing, and seem to succeed. */
function checkBindings(contexts: readonly Readonly<Record<string, unknown>>[], hook: Hook): void {
  const names = new Set(hook.bindings.map(bindingName));
  const groups = hook.bindings.flatMap((binding) => ('group' in binding ? (binding.group ?? []) : []));
  const foreign = contexts
    .map(({ binding }) => binding)
    // shell-operator writes the name of the group as the binding of a group's context.
    .filter((binding) => typeof binding === 'string' && !names.has(binding) && !groups.includes(binding));
  if (foreign.length === 0) return;
  const got = [...new Set(foreign)].slice(0, MAX_SHOWN).map((binding) => shown(binding));
  throw new UsageError(
    `--context is not for hook ${hook.name}: it has no binding ${got.join(', ')}, but ${[...names].join(', ')}`,
  );
}

const MAX_SHOWN = 5;

function describeOutput(label: string, { operations, warnings }: DescribedOutput): string {
  const lines = operations.map((operation) => `${label} ${operation}\n`);
  return [...lines, ...warnings.map((warning) => `warning: ${warning}\n`)].join('');
}
