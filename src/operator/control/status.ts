import type { HookConfigError } from '../../errors.ts';
import type {
  FailingView,
  OperatorStatus,
  PoolView,
  QueueView,
  RunningView,
  ShardsView,
} from '../../hook/operator-view.ts';
import type { ObjectOutcome } from '../../hook/run-control.ts';
import { objectText, type RunRecord } from '../../hook/run-record.ts';
import type { ScheduleStatus } from '../../hook/schedule-control.ts';
import type { ElectionStatus } from '../../kube/coordination/leader-election.ts';
import { shownText } from '../../lib/shown.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { GivenUpGlance } from '../dead-letters/given-up.ts';
import type { HookUnit } from '../../units/hook-unit.ts';

const MAX_SHOWN = 100;
const MAX_MESSAGE_CHARS = 500;

export interface StatusSource {
  readonly nowMs: number;
  readonly units: readonly Pick<HookUnit, 'hook' | 'isEnabled'>[];
  readonly broken: readonly HookConfigError[];
  readonly queues: readonly QueueView[];
  readonly running: readonly RunRecord[];
  /** The last outcomes of bindings and objects, the latest first. */
  readonly outcomes: readonly ObjectOutcome[];
  readonly schedules: readonly ScheduleStatus[];
  readonly givenUp: Pick<GivenUpGlance, 'paused' | 'deadLetters'>;
  /** The pools of workers; default none. */
  readonly pools?: readonly PoolView[];
  /** Which slices this replica has; absent where objects are not divided. */
  readonly shards?: ShardsView | undefined;
  /** The units that work on this replica; default all. */
  readonly working?: StatusSource['units'];
  /** Absent without leader election. */
  readonly election?: ElectionStatus | undefined;
}

/** The present of an operator as plain data, with at most 100 of each kind of thing. */
export function operatorStatus(source: StatusSource): OperatorStatus {
  const { nowMs, units, broken, queues, running, schedules, givenUp, election, shards, pools = [] } = source;
  const { working = units } = source;
  const suspended = schedules.filter(({ isSuspended }) => isSuspended);
  const known = new Set(units.map(({ hook }) => hook.name));
  return {
    time: new Date(nowMs).toISOString(),
    ...roleOf(election),
    hooks: {
      loaded: units.length,
      starting: first(working.filter(({ isEnabled }) => !isEnabled)).map(({ hook }) => hook.name),
      broken: first(broken).map(({ hook, message }) => ({ hook, message: shownText(message, MAX_MESSAGE_CHARS) })),
    },
    running: first(running).map(runningView),
    ...(running.length > MAX_SHOWN && { moreRunning: running.length - MAX_SHOWN }),
    queues: first(queues),
    failing: first(failing(source.outcomes.filter(({ hook }) => known.has(hook)))),
    suspended: first(suspended).map(({ hook, binding }) => ({ hook, binding })),
    paused: first(givenUp.paused),
    ...(givenUp.deadLetters > 0 && { deadLetters: givenUp.deadLetters }),
    ...(pools.length > 0 && { pools: first(pools) }),
    ...(shards && { shards }),
  };
}

function first<T>(all: readonly T[]): readonly T[] {
  return all.slice(0, MAX_SHOWN);
}

function roleOf(election: ElectionStatus | undefined): Pick<OperatorStatus, 'role' | 'leader'> {
  if (election === undefined) return { role: 'alone' };
  switch (election.type) {
    case 'standing-by':
      return { role: 'standing-by', ...(election.leader !== '' && { leader: election.leader }) };
    case 'leading':
    case 'lost':
      return { role: election.type };
    default:
      return unreachable(election);
  }
}

function runningView({ id, hook, binding, queue, reason, attempt, started }: RunRecord): RunningView {
  return { id, hook, binding, queue, reason, attempt, started };
}

/** One entry for each binding with failures, with the latest of them. */
function failing(outcomes: readonly ObjectOutcome[]): readonly FailingView[] {
  const views = new Map<string, FailingView>();
  for (const one of outcomes) {
    if (one.outcome !== 'failed') continue;
    const key = JSON.stringify([one.hook, one.binding]);
    const known = views.get(key);
    const more = one.name === '' ? 0 : 1;
    views.set(key, known === undefined ? failingView(one) : { ...known, objects: known.objects + more });
  }
  return [...views.values()];
}

function failingView(outcome: ObjectOutcome): FailingView {
  const { hook, binding, runId, attempt, at, message, again, dead } = outcome;
  const isObject = outcome.name !== '';
  return {
    hook,
    binding,
    objects: isObject ? 1 : 0,
    ...(isObject && { object: objectText(outcome) }),
    runId,
    attempt,
    at,
    ...(message !== undefined && { message }),
    ...(again !== undefined && { again }),
    ...(dead === true && { dead }),
  };
}
