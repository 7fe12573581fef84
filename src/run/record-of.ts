import { HookFailedError, HookOutputError } from '../errors.ts';
import type { HookResult } from '../hook/result.ts';
import type { RunNext, RunOutcomeName, RunPart, RunRecord, RunResult } from '../hook/run-record.ts';
import type { Task } from '../hook/task.ts';
import type { AskVerdict } from '../hook/trigger.ts';
import { printableLine } from '../lib/printable.ts';
import { shownText } from '../lib/shown.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { RunCost } from '../runner/executor.ts';
import { answerOf } from './answer-of.ts';
import type { EndedPart } from './journal.ts';
import type { LiveRun } from './live-run.ts';
import type { Next } from './policy.ts';
import { recordedObjects } from './recorded-objects.ts';
import type { FailedRun, RunOutcome } from './run.ts';
import { bindingOf, reasonOf } from './run-reason.ts';

const MAX_ERROR_CHARS = 2000;
const MAX_TEXT_CHARS = 1100;
/** The `output` of a result that is longer is left out: with the rest it would not fit into a record. */
const MAX_OUTPUT_BYTES = 32 * 1024;
const MAX_PARTS = 20;
const MAX_REQUESTS = 50;
const MAX_PART_OBJECTS = 5;
const MAX_PART_ERROR_CHARS = 300;

/** How a run ended, and what happens next. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly next: Next;
  readonly parts: readonly EndedPart[];
  readonly atMs: number;
}

/** The record of a run that has not ended. */
export function recordOfLive(live: LiveRun): RunRecord {
  return { ...headOf(live), outcome: 'running', ...requestFields(live, undefined) };
}

/** The record of a run that ended. Where all its triggers are one part, the run ended as that part did. */
export function recordOfEnded(live: LiveRun, { parts, atMs, ...whole }: RunEnd): RunRecord {
  const [only, ...others] = parts;
  const { outcome, next } = only === undefined || others.length > 0 ? whole : only;
  return {
    ...headOf(live),
    ended: iso(atMs),
    outcome: outcome.type,
    ...costFields(('cost' in outcome ? outcome.cost : undefined) ?? live.cost),
    ...(outcome.type === 'failed' && failureFields(outcome)),
    ...(outcome.type === 'interrupted' && { error: errorText(outcome.error) }),
    ...requestFields(live, answerOf(live.run, outcome, next)),
    ...resultFields({ ...resultOf(whole.outcome), ...resultOf(outcome) }),
    next: nextOf(next, atMs),
    ...(parts.length > 1 && { parts: parts.slice(0, MAX_PARTS).map((part) => partOf(part, live, atMs)) }),
  };
}

function headOf(live: LiveRun): Omit<RunRecord, 'outcome'> {
  const { run, objects, startedAtMs, waitedMs, warnings, patches, morePatches } = live;
  const { id, task, queue, attempt } = run;
  return {
    id,
    hook: task.hook.name,
    binding: bindingOf(task),
    queue,
    reason: shownText(reasonOf(task), MAX_TEXT_CHARS),
    attempt,
    objects: objects.objects,
    ...(objects.more > 0 && { moreObjects: objects.more }),
    ...requestIdsOf(task),
    queued: iso(task.queuedAtMs),
    started: iso(startedAtMs),
    waitedMs: Math.round(waitedMs),
    ...costFields(live.cost),
    patches: [...patches],
    ...(morePatches > 0 && { morePatches }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    lines: live.tail.count,
  };
}

function requestFields({ run }: LiveRun, verdict: AskVerdict | undefined): Pick<RunRecord, 'request'> {
  const [trigger] = run.task.triggers;
  if (trigger.type !== 'ask' || trigger.about === undefined) return {};
  const { user } = trigger.about;
  if (verdict === undefined) return { request: { user } };
  const message = shownText(printableLine(verdict.message), MAX_TEXT_CHARS);
  const decision = verdict.allowed ? 'allowed' : 'denied';
  return { request: { user, verdict: decision, ...(message !== '' && { message }) } };
}

function requestIdsOf({ triggers }: Task): Pick<RunRecord, 'requestIds'> {
  const ids = triggers.flatMap((trigger) => (trigger.type === 'http' ? trigger.runId : [])).slice(0, MAX_REQUESTS);
  return ids.length === 0 ? {} : { requestIds: ids };
}

function costFields(cost: RunCost | undefined): Pick<RunRecord, 'durationMs'> & RunCost['usage'] {
  return cost === undefined ? {} : { durationMs: Math.round(cost.durationMs), ...cost.usage };
}

function failureFields({ by, error, isPermanent }: FailedRun): Partial<RunRecord> {
  const ending = error instanceof HookFailedError ? error.ending : undefined;
  return {
    failedBy: by,
    ...(isPermanent === true && { permanent: true }),
    error: errorText(error),
    ...(ending?.exitCode !== undefined && { exitCode: ending.exitCode }),
    ...(ending?.signal !== undefined && { signal: ending.signal }),
    ...(ending?.timedOut === true && { timedOut: true }),
  };
}

function errorText(error: Error, maxChars = MAX_ERROR_CHARS): string {
  return shownText(withoutContents(error), maxChars);
}

/** Of a hook that failed only the first line, since the others are what it printed; of its output no values. */
function withoutContents(error: Error): string {
  if (error instanceof HookFailedError) return error.message.split('\n', 1)[0] ?? '';
  return error instanceof HookOutputError ? (error.brief ?? error.message) : error.message;
}

function resultOf(outcome: RunOutcome): Partial<HookResult> {
  return ('result' in outcome ? outcome.result : undefined) ?? {};
}

function resultFields({ reason, message, output }: Partial<HookResult>): { readonly result?: RunResult } {
  const result = {
    ...(reason !== undefined && { reason: shownText(reason, MAX_TEXT_CHARS) }),
    ...(message !== undefined && { message: shownText(message, MAX_TEXT_CHARS) }),
    ...(output !== undefined && output.length <= MAX_OUTPUT_BYTES && { output }),
  };
  return Object.keys(result).length === 0 ? {} : { result };
}

function nextOf(next: Next, nowMs: number): RunNext {
  switch (next.type) {
    case 'done':
      return { type: 'done', ...(next.againInMs !== undefined && { again: iso(nowMs + next.againInMs) }) };
    case 'retry':
      return { type: 'retry', at: next.at, again: iso(nowMs + next.delayMs) };
    case 'drop':
    case 'dead':
      return { type: next.type, why: next.why };
    case 'keep':
    case 'answer':
      return { type: next.type };
    default:
      return unreachable(next);
  }
}

function partOf({ task, outcome, next }: EndedPart, { generations }: LiveRun, nowMs: number): RunPart {
  const name: RunOutcomeName = outcome.type;
  return {
    objects: recordedObjects(task.triggers, generations).objects.slice(0, MAX_PART_OBJECTS),
    outcome: name,
    ...(outcome.type === 'failed' && { error: errorText(outcome.error, MAX_PART_ERROR_CHARS) }),
    next: nextOf(next, nowMs),
  };
}

/** RFC 3339; a time that is none is the epoch. */
function iso(timeMs: number): string {
  return new Date(Number.isFinite(timeMs) ? timeMs : 0).toISOString();
}
