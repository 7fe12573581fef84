import { HookFailedError } from '../errors.ts';
import { compactGroups } from '../hook/combine.ts';
import { objectKeyOf } from '../hook/object-key.ts';
import type { ContextResult, HookResult, ResultOutcome } from '../hook/result.ts';
import type { Task } from '../hook/task.ts';
import type { Trigger } from '../hook/trigger.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { RunOutcome } from './run.ts';

/** Triggers of a run with one outcome. */
export interface RunPart {
  readonly task: Task;
  readonly outcome: RunOutcome;
  /** Whether the hook's result names its contexts: what is left to do of it waits aside of the queue. */
  readonly isOwn: boolean;
}

/** An outcome that the result of a hook can say something about. */
type JudgedOutcome = Extract<RunOutcome, { readonly result?: HookResult }>;

/**
 * Divides the triggers of a run by what its hook says about their contexts: those that are not named have the outcome of
 * the run as a whole, and each context that is named with another outcome, or with a time to come again, is a part of
 * its own. A trigger without a context, since another of its group stands for it, goes with that one.
 *
 * What must hold: each trigger is in one part, in order. Where an object has several triggers and one is run again,
 * those after it are run again with it, unless they are given up, so that the hook never gets an older event of an
 * object after a newer one.
 */
export function partsOf(task: Task, outcome: RunOutcome): readonly [RunPart, ...RunPart[]] {
  const whole = { task, outcome, isOwn: false };
  if (!isJudged(outcome) || outcome.result === undefined || outcome.result.contexts.size === 0) return [whole];
  const places = placesOf(task, outcome, outcome.result);
  keepOrder(places);
  const parts = [...Map.groupBy(places, (place) => place.part)].flatMap(([part, ofPart]) => partOf(task, part, ofPart));
  const [first, ...others] = parts;
  return first === undefined ? [whole] : [first, ...others];
}

interface Place {
  readonly trigger: Trigger;
  readonly outcome: JudgedOutcome;
  /** The index of its context; undefined for what has the outcome of the whole. */
  part: number | undefined;
}

function placesOf(task: Task, whole: JudgedOutcome, { contexts }: HookResult): readonly Place[] {
  const shown = compactGroups(task.triggers);
  const outcomes = new Map<number, JudgedOutcome>();
  for (const [index, result] of contexts) {
    const own = outcomeOf(whole, result);
    if (own !== whole) outcomes.set(index, own);
  }
  let index = shown.length;
  // From the end, since the last of a group is the one that is shown.
  const places = task.triggers.toReversed().map((trigger): Place => {
    if (shown[index - 1] === trigger) index -= 1;
    const own = outcomes.get(index);
    return own === undefined ? { trigger, outcome: whole, part: undefined } : { trigger, outcome: own, part: index };
  });
  return places.toReversed();
}

/** Has the triggers of an object that follow one which is run again go with that one. */
function keepOrder(places: readonly Place[]): void {
  const again = new Map<string, number | undefined>();
  for (const place of places) {
    const key = objectKeyOf(place.trigger);
    if (key === undefined || isGivenUp(place.outcome)) continue;
    if (again.has(key)) place.part = again.get(key);
    else if (place.outcome.type !== 'succeeded') again.set(key, place.part);
  }
}

/** What only goes with others is behind them, so the first trigger has the outcome of the part. */
function partOf(task: Task, part: number | undefined, places: readonly Place[]): readonly RunPart[] {
  const [first, ...others] = places;
  if (first === undefined) return [];
  const triggers = [first.trigger, ...others.map(({ trigger }) => trigger)] as const;
  return [{ task: { ...task, triggers }, outcome: first.outcome, isOwn: part !== undefined }];
}

function isJudged(outcome: RunOutcome): outcome is JudgedOutcome {
  return outcome.type === 'succeeded' || outcome.type === 'later' || outcome.type === 'failed';
}

function isGivenUp(outcome: JudgedOutcome): boolean {
  return outcome.type === 'failed' && outcome.isPermanent === true;
}

const RANKS: Readonly<Record<ResultOutcome, number>> = { done: 0, later: 1, failed: 2, permanent: 3 };

/** The outcome of a context: that of the whole, or what its own result says where that is worse. */
function outcomeOf(whole: JudgedOutcome, result: ContextResult): JudgedOutcome {
  const { outcome: said = 'done', retryAfterMs } = result;
  if (RANKS[said] > RANKS[wordOf(whole)]) return worse(whole, said, result);
  if (retryAfterMs === undefined) return whole;
  const own = { ...result, contexts: new Map() };
  return whole.type === 'succeeded' ? { ...whole, result: own } : { ...whole, retryAfterMs, result: own };
}

function wordOf(outcome: JudgedOutcome): ResultOutcome {
  switch (outcome.type) {
    case 'succeeded':
      return 'done';
    case 'later':
      return 'later';
    case 'failed':
      return outcome.isPermanent === true ? 'permanent' : 'failed';
    default:
      return unreachable(outcome);
  }
}

function worse(whole: JudgedOutcome, said: ResultOutcome, result: ContextResult): JudgedOutcome {
  const { retryAfterMs, reason, message } = result;
  const own = { result: { ...result, contexts: new Map() }, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (said === 'later' && whole.type === 'succeeded') {
    return { type: 'later', cost: whole.cost, applied: whole.applied, ...own };
  }
  const text = [reason, message].filter((part) => part !== undefined).join(': ');
  const error = new HookFailedError(text === '' ? 'hook says in its result that this context failed' : text, {
    ending: { exitCode: 0, timedOut: false },
  });
  const failed = { type: 'failed', by: 'hook', error, ...(whole.cost && { cost: whole.cost }), ...own } as const;
  return said === 'permanent' ? { ...failed, isPermanent: true } : failed;
}
