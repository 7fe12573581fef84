import { UsageError, type HookConfigError } from '../../errors.ts';
import { nearest } from '../../hook/nearest.ts';
import type {
  ChildView,
  ObjectView,
  OperatorView,
  PoolView,
  SeenOperations,
  WhyView,
} from '../../hook/operator-view.ts';
import type { ObjectOutcome, RecordingControl, RunList, RunQuery } from '../../hook/run-control.ts';
import type { ScheduleControl } from '../../hook/schedule-control.ts';
import type { Task } from '../../hook/task.ts';
import type { ElectionStatus } from '../../kube/coordination/leader-election.ts';
import { shown } from '../../lib/shown.ts';
import type { TaskQueue } from '../../queue/task-queue.ts';
import type { RunHistory } from '../../run/history.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import type { GivenUpGlance } from '../dead-letters/given-up.ts';
import { workingUnits } from '../shards/divided-hooks.ts';
import type { Shards } from '../shards/shards.ts';
import { shardsView } from '../shards/shards-view.ts';
import { queueViews } from './queue-views.ts';
import { operatorStatus } from './status.ts';
import { whyOf } from './why.ts';

export interface OperatorViewOptions {
  readonly history: RunHistory;
  /** Absent: runs are not recorded. */
  readonly recordings?: RecordingControl | undefined;
  readonly units: () => readonly HookUnit[];
  readonly broken: () => readonly HookConfigError[];
  readonly queues: () => readonly TaskQueue<Task>[];
  readonly schedules: Pick<ScheduleControl, 'list'>;
  /** Undefined without leader election. */
  readonly election: () => ElectionStatus | undefined;
  readonly access: Pick<ClusterAccess, 'client' | 'kinds'>;
  /** The objects that reconcile bindings made for an object; default none. */
  readonly children?: (object: ObjectOutcome) => readonly ChildView[];
  /** What is paused or given up; default nothing. */
  readonly givenUp?: () => GivenUpGlance;
  /** The pools of workers; absent: there are none. */
  readonly pools?: (() => readonly PoolView[]) | undefined;
  /** Divides the objects among replicas; absent: this replica has all. */
  readonly shards?: Pick<Shards, 'members' | 'slices' | 'status' | 'hasBegun'> | undefined;
  /** Default: none. */
  readonly seen?: () => SeenOperations;
}

const MAX_RUNS = 10;
const NOTHING: GivenUpGlance = { paused: [], held: 0, deadLetters: 0 };

/** What can be asked about an operator; nothing here changes anything. */
export function createOperatorView(options: OperatorViewOptions): OperatorView {
  const { history, units, broken, queues, schedules, election, pools, children = () => [] } = options;
  const { givenUp = () => NOTHING, seen = () => ({ operations: [], dropped: 0 }) } = options;
  return {
    recordings: options.recordings,
    runs: {
      list: (query) => listRuns(query, options),
      find: (id) => history.find(id),
      logs: async (id, query) => history.logs(id, query),
      objects: (query) => history.objects(query),
    },
    held: () => givenUp().held,
    queues: () => queueViews(queues()),
    status: () =>
      operatorStatus({
        nowMs: Date.now(),
        units: units(),
        broken: broken(),
        queues: queueViews(queues()),
        running: history.running(),
        outcomes: history.outcomes(),
        schedules: schedules.list(),
        givenUp: givenUp(),
        election: election(),
        ...(options.shards && { shards: shardsView(options.shards), working: workingUnits(units(), options.shards) }),
        ...(pools && { pools: pools() }),
      }),
    object: (meant, hook) => objectView(meant, hook, { history, children }),
    why: async (hook, object, signal) => why({ hook, object, signal }, options),
    seen,
  };
}

/** Runs of a hook that is not known, neither now nor by a run, are wrong usage. A standby has no hooks. */
function listRuns(query: RunQuery, options: OperatorViewOptions): RunList {
  const { history, units, broken, election } = options;
  const found = history.list(query);
  const { hook } = query;
  if (found.runs.length > 0 || hook === undefined || election()?.type === 'standing-by') return found;
  const isRemembered = history.list({ hook, limit: 1 }).runs.length > 0 || history.objects({ hook }).length > 0;
  const isKnown = units().some((unit) => unit.hook.name === hook) || broken().some((one) => one.hook === hook);
  if (isRemembered || isKnown) return found;
  throw unknownHook(hook, units());
}

function objectView(
  meant: string,
  hook: string | undefined,
  { history, children }: Pick<Required<OperatorViewOptions>, 'history' | 'children'>,
): ObjectView {
  const query = { object: meant, ...(hook !== undefined && { hook }) };
  const outcomes = history.objects(query).slice(0, MAX_RUNS);
  const { runs } = history.list({ ...query, limit: MAX_RUNS });
  if (outcomes.length === 0 && runs.length === 0) {
    throw new UsageError(`no run about an object ${shown(meant)} is remembered; an object is NAMESPACE/NAME`);
  }
  return { outcomes, children: outcomes.flatMap(children), runs };
}

interface Asked {
  readonly hook: string;
  readonly object: string;
  readonly signal: AbortSignal;
}

async function why({ hook, object, signal }: Asked, options: OperatorViewOptions): Promise<WhyView> {
  const unit = unitNamed(hook, options);
  const bindings = await whyOf({ unit, object, shards: options.shards, ...options.access, signal });
  const { runs } = options.history.list({ hook, object, limit: MAX_RUNS });
  return { hook, object, bindings, runs };
}

function unitNamed(name: string, { units, broken }: OperatorViewOptions): HookUnit {
  const all = units();
  const unit = all.find(({ hook }) => hook.name === name);
  if (unit !== undefined) return unit;
  const problem = broken().find(({ hook }) => hook === name);
  if (problem !== undefined) throw new UsageError(`hook ${name} is broken and does not run: ${problem.message}`);
  throw unknownHook(name, all);
}

function unknownHook(name: string, units: readonly HookUnit[]): UsageError {
  const names = units.map(({ hook }) => hook.name);
  const meant = nearest(name, names);
  const known = names.length === 0 ? 'there are none' : `there is ${names.slice(0, 20).join(', ')}`;
  return new UsageError(`no hook ${shown(name)}; ${meant === undefined ? known : `did you mean ${meant}?`}`);
}
