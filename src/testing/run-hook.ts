import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findHook } from '../cli/run/local-runner.ts';
import { startOptions } from '../cli/options/options.ts';
import { resolveOptions } from '../cli/options/resolve.ts';
import { makeContexts } from '../cli/run/event.ts';
import { givenObjects } from '../cli/run/object.ts';
import { scopeOf } from '../cli/run/scope.ts';
import { parseMetrics } from '../effects/parse-metrics.ts';
import { parseOperations } from '../effects/parse-operations.ts';
import { parseResult } from '../effects/read-result.ts';
import { HookConfigError, HookFailedError, UsageError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import { present } from '../hook/config-reader.ts';
import { loadHook } from '../hook/load.ts';
import { createLogger } from '../log.ts';
import { siblingFile } from '../lib/sibling-file.ts';
import { openRunner } from '../operator/runs/open-runner.ts';
import { saidOutcome } from '../run/classify.ts';
import type { Execution, HookOutput } from '../runner/executor.ts';
import type { Runner } from '../runner/runner.ts';
import { checkFilter } from '../units/filter-check.ts';
import type { HookRunResult, JsonObject, RunHookOptions } from './public.ts';
import { removeTree } from '../lib/remove-tree.ts';

/** Runs one hook once, without a world. Rejects for a hook that is broken, and for output that cannot be read. */
export async function runHook(file: string, options: RunHookOptions): Promise<HookRunResult> {
  const { env = {}, signal = new AbortController().signal } = options;
  const found = findHook(file);
  await using ends = new AsyncDisposableStack();
  const runner = openQuietRunner(dirname(found.path), env, ends);
  const hook = await loadHook(found, { readConfig: async (one) => runner.readConfig(one, signal), checkFilter });
  if (hook instanceof HookConfigError) throw hook;
  const runId = randomUUID();
  const { context, warnings } = contextsOf(hook, options, runId);
  const output: string[] = [];
  const onOutput = (one: HookOutput): void => void output.push(one.type === 'line' ? one.line.line : one.entry.message);
  const execution = await runner.execute({ hook, contexts: [Buffer.from(context)], runId, onOutput }, signal);
  signal.throwIfAborted();
  const contexts = JSON.parse(context) as readonly JsonObject[];
  const { warnings: more, ...read } = readOutputs(execution, contexts);
  return { ...read, output, contexts, warnings: [...warnings, ...more] };
}

function contextsOf(
  hook: Hook,
  { event, binding, object, objects = [], contexts }: RunHookOptions,
  runId: string,
): { readonly context: string; readonly warnings: readonly string[] } {
  if ((event === undefined) === (contexts === undefined)) {
    throw new UsageError('runHook: give it one of event and contexts');
  }
  if (event === undefined) return { context: JSON.stringify(contexts), warnings: [] };
  const given = [...(object === undefined ? [] : [object]), ...objects].map(plain);
  return makeContexts(
    hook,
    { event, objects: givenObjects(given, 'object'), runId, ...present({ binding }) },
    Date.now(),
  );
}

/** What JSON makes of it. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A runner whose log nobody reads. */
function openQuietRunner(
  hooksDir: string,
  hookEnv: Readonly<Record<string, string>>,
  ends: AsyncDisposableStack,
): Runner {
  const tmpDir = mkdtempSync(join(tmpdir(), 'hooklet-'));
  ends.defer(() => removeTree(tmpDir));
  const options = resolveOptions(startOptions, { tmpDir }, {});
  const log = createLogger({ format: 'json', level: 'error', write: () => {} });
  const program = { node: process.execPath, program: siblingFile('main', ownPlace()) };
  return openRunner({ ...options, hooksDir, env: process.env, hookEnv, program, log }, ends);
}

/** As if this file were beside main: it is so in the bundle, and in the sources one folder below. */
function ownPlace(): string {
  return import.meta.url.endsWith('.ts') ? new URL('../index.ts', import.meta.url).href : import.meta.url;
}

type Read = Omit<HookRunResult, 'output' | 'contexts'>;

function readOutputs(execution: Execution, contexts: readonly JsonObject[]): Read {
  const { patch = '', metrics = '', result = '' } = execution.outputs ?? {};
  const checkJq = (expression: string): string | undefined => checkFilter({ type: 'jq', expression });
  const operations = parseOperations(patch, checkJq);
  const samples = parseMetrics(metrics);
  const said = result === '' ? { warnings: [] } : parseResult(result, scopeOf(contexts));
  const answer = answerOf(execution);
  return {
    outcome: saidOutcome(execution, said.result),
    ...endOf(execution),
    patches: operations.operations.map((one) => ({ ...one })),
    metrics: samples.operations.map((one) => ({ ...one })),
    ...(said.result && { result: { ...said.result } }),
    ...(answer !== '' && { answer: parsed(answer) }),
    warnings: [...operations.warnings, ...samples.warnings, ...said.warnings],
  };
}

function answerOf(execution: Execution): string {
  if (execution.type === 'failed') return '';
  return execution.outputs.admission || execution.outputs.conversion;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function endOf(execution: Execution): Pick<HookRunResult, 'exit' | 'message'> {
  if (execution.type === 'exited') return execution.isLater === true ? {} : { exit: 0 };
  const { error } = execution;
  const exit = error instanceof HookFailedError ? error.ending?.exitCode : undefined;
  return { message: error.message, ...present({ exit }) };
}
