import { messageOf } from '../../lib/message-of.ts';
import { isObject } from '../../lib/json-object.ts';

/*
 * Runs a hook again on a sandbox, as far as that needs no operator: the hook is executed with the recorded contexts, and
 * what it asks is carried out in the sandbox by the same code as in a cluster. What must hold: nothing but the sandbox is
 * reached by hooklet itself, and the hook knows no other cluster: its KUBECONFIG is that of the sandbox.
 */

import { isJsonObject, type Sandbox } from '@hooklet/sandbox';
import { applyOperations, type AppliedOperation } from '../../effects/apply-operations.ts';
import { operationsDespiteFailure } from '../../effects/operation.ts';
import { parseOperations } from '../../effects/parse-operations.ts';
import { parseResult } from '../../effects/read-result.ts';
import type { Hook } from '../../hook/binding.ts';
import type { RunPatch } from '../../hook/run-record.ts';
import type { HookResult, ResultOutcome } from '../../hook/result.ts';
import { openFilters } from '../../filter/filters.ts';
import { createKinds } from '../../kube/discovery/kinds.ts';
import { createKubeClient } from '../../kube/kube-client.ts';
import type { Logger } from '../../log.ts';
import { saidOutcome } from '../../run/classify.ts';
import { keptLine } from '../../run/live-run.ts';
import { OutputTail } from '../../run/output-tail.ts';
import { endingOf } from '../../run/recording/raw-run.ts';
import { outputDocuments } from '../../run/recording/output-documents.ts';
import { OUTPUT_NAMES, type OutputFile, type Recording } from '../../run/recording/recording.ts';
import type { Execution, Executor, HookOutput } from '../../runner/executor.ts';
import { checkFilter } from '../../units/filter-check.ts';
import { sandboxCluster } from '../local-sandbox.ts';
import { answersOf } from '../run/answered.ts';
import { scopeOf } from '../run/scope.ts';
import type { Compared } from './compare.ts';

export interface ReplayRunOptions {
  readonly hook: Hook;
  readonly executor: Pick<Executor, 'execute'>;
  readonly sandbox: Sandbox;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface ReplayedRun extends Compared {
  /** What could not be carried out, or read, in words. */
  readonly problems: readonly string[];
  /** What the operations did, a line each; of children nothing. */
  readonly effects: readonly string[];
}

/** Runs the hook, and carries out what it asks. */
export async function replayRun(recording: Recording, options: ReplayRunOptions): Promise<ReplayedRun> {
  const { hook, executor, signal } = options;
  const { contexts, env, run } = recording;
  const tail = new OutputTail();
  const onOutput = (output: HookOutput): void => {
    const { stream, line } = keptLine(output);
    tail.push(stream, line);
  };
  const { RUN_ID: runId = run.id, TRACEPARENT: traceparent } = env;
  const request = {
    hook,
    contexts: [Buffer.from(`${JSON.stringify(contexts)}\n`)],
    runId,
    onOutput,
    isAsked: contexts.some(({ review }) => review !== undefined),
    ...(traceparent !== undefined && { traceparent }),
  };
  const execution = await executor.execute(request, signal);
  const problems: string[] = [];
  const effects: string[] = [];
  await carryOut(execution, contexts, { ...options, problems, effects });
  const printed = tail.lines().lines;
  return { ending: endingOf(execution), outputs: filesOf(execution), printed, problems, effects };
}

function filesOf(execution: Execution): Compared['outputs'] {
  const texts: Readonly<Record<string, string>> = { ...execution.outputs };
  const files = OUTPUT_NAMES.filter((name) => (texts[name] ?? '') !== '').map((name): readonly [string, OutputFile] => {
    const documents = outputDocuments(texts[name] ?? '');
    return [name, documents === undefined ? { unreadable: '' } : { documents }];
  });
  return Object.fromEntries(files);
}

interface Carrying extends ReplayRunOptions {
  readonly problems: string[];
  readonly effects: string[];
}

async function carryOut(execution: Execution, contexts: Recording['contexts'], options: Carrying): Promise<void> {
  const { problems } = options;
  if (execution.type === 'failed' && execution.outputs === undefined) {
    problems.push(firstLine(execution.error));
    return;
  }
  try {
    const result = readResult(execution, contexts);
    const outcome = outcomeOf(execution, result);
    const isWorth = outcome === 'done' || outcome === 'later';
    if (!isWorth) problems.push(failureText(execution));
    if (contexts.some(isDryRun)) return;
    await apply(execution, outcome, options);
    if (isWorth) await reach({ contexts, result, outcome }, options);
  } catch (error) {
    problems.push(messageOf(error));
  }
}

/** What a hook that was ended says about its outcome does not count. */
function outcomeOf(execution: Execution, result: HookResult | undefined): ResultOutcome {
  const isCutOff = execution.type === 'failed' && execution.isCutOff === true;
  return isCutOff ? 'failed' : saidOutcome(execution, result);
}

function readResult(execution: Execution, contexts: Recording['contexts']): HookResult | undefined {
  const text = execution.outputs?.result ?? '';
  return text === '' ? undefined : parseResult(text, scopeOf(contexts)).result;
}

async function apply(execution: Execution, outcome: ResultOutcome, options: Carrying): Promise<void> {
  const text = execution.outputs?.patch ?? '';
  if (text === '') return;
  const { sandbox, log, signal } = options;
  const { operations: all } = parseOperations(text, (expression) => checkFilter({ type: 'jq', expression }));
  const operations = outcome === 'done' || outcome === 'later' ? all : operationsDespiteFailure(all);
  const client = createKubeClient(sandboxCluster(sandbox), { userAgent: 'hooklet/replay' });
  const filters = openFilters();
  try {
    const compileJq = (expression: string) => filters.compilePatch(expression);
    const onApplied = (applied: AppliedOperation): void => void options.effects.push(effectText(applied));
    await applyOperations(operations, { client, kinds: createKinds(client), compileJq, signal, log, onApplied });
  } finally {
    filters.end();
    await client.close();
  }
}

/** What an operation did: `Create v1/ConfigMap/default/web: created`. */
export function effectText({ operation, target, change }: RunPatch): string {
  return `${operation} ${target}: ${change}`;
}

interface Answered {
  readonly contexts: Recording['contexts'];
  readonly result: HookResult | undefined;
  readonly outcome: ResultOutcome;
}

/** Makes the children that the hook wants, and deletes those that it was shown and no longer wants. */
async function reach({ contexts, result, outcome }: Answered, { hook, sandbox, problems }: Carrying): Promise<void> {
  const answers = await answersOf({ hook, contexts, result, outcome });
  for (const { binding, wanted, isLater } of answers) {
    for (const { object } of wanted) {
      try {
        if (isJsonObject(object)) await sandbox.apply(object);
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    const keys = new Set(wanted.map(({ object }) => placeOf(object)));
    const shown = contexts.filter((context) => context['binding'] === binding.name).flatMap(ownedObjects);
    const doomed = isLater || answers.length > 1 ? [] : shown.filter((object) => !keys.has(placeOf(object)));
    for (const object of doomed) if (isJsonObject(object)) await sandbox.delete(object);
  }
}

function ownedObjects({ owned }: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  if (!isObject(owned)) return [];
  const items = Object.values(owned).flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  return items.map((item) => (isObject(item) ? item['object'] : undefined)).filter(isObject);
}

function placeOf({ kind, metadata }: Readonly<Record<string, unknown>>): string {
  const { namespace = '', name } = isObject(metadata) ? metadata : {};
  return JSON.stringify([kind, namespace, name]);
}

/** Nothing that a hook asks is carried out for such a request. */
function isDryRun({ review }: Readonly<Record<string, unknown>>): boolean {
  const request = isObject(review) ? review['request'] : undefined;
  return isObject(request) && request['dryRun'] === true;
}

function failureText(execution: Execution): string {
  return execution.type === 'failed' ? firstLine(execution.error) : 'the hook says in RESULT_PATH that it has failed';
}

function firstLine({ message }: Error): string {
  return message.split('\n', 1)[0] ?? '';
}
