import type { HookMetrics } from '../effects/hook-metrics.ts';
import type { EventRecorder } from '../kube/coordination/event-recorder.ts';
import type { LeaderElection } from '../kube/coordination/leader-election.ts';
import type { LogLevels } from '../log.ts';
import type { LockTimes } from '../kube/coordination/lock-times.ts';
import type { Metrics } from '../metrics.ts';
import type { Effects } from '../run/attempt.ts';
import type { RunJournal } from '../run/journal.ts';
import type { RunHistory } from '../run/history.ts';
import type { Recorder } from '../run/recording/recorder.ts';
import type { RunTraces } from '../run/run-traces.ts';
import type { Executor } from '../runner/executor.ts';
import type { Runner } from '../runner/runner.ts';
import type { DryRun } from './dry-run/dry-run.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { Filters } from '../filter/filters.ts';
import type { Hook } from '../hook/binding.ts';
import type { PoolView } from '../hook/operator-view.ts';
import type { HookEvents } from './hook-events.ts';
import type { HookLoading } from '../units/hook-loading.ts';
import type { RunLocks } from './locks/run-locks.ts';
import type { WaitingTasks } from './locks/waiting-tasks.ts';
import type { RunnerSettings } from './runs/open-runner.ts';
import type { Shards } from './shards/shards.ts';
import type { ScheduleStatePlace } from './schedules/schedule-state.ts';
import type { GivenUpOptions, GivenUpSettings } from './dead-letters/given-up.ts';

export interface OperatorSettings extends RunnerSettings, GivenUpSettings {
  /** From the abort of the signal until running hooks are ended. */
  readonly gracePeriodMs: number;
  /** Yields when something in the hooks folder may have changed; absent: hooks are loaded once. */
  readonly changes?: (signal: AbortSignal) => AsyncIterable<void>;
  /** The level of the log, which the debug API changes; absent: it changes nothing. */
  readonly logLevels?: LogLevels;
  /** Called once, after the first load of the hooks. */
  readonly onLoaded?: () => void;
  /** Is told everything about runs. */
  readonly observer?: RunJournal;
  /** Whether a hook of the folder runs, by its name, where hooks are loaded once; default: every hook. */
  readonly isWanted?: (hook: string) => boolean;
  /** How long the holder of a lock may be silent; default: as long as the locks of everybody. */
  readonly lockTimes?: LockTimes;
  /** Default: a ConfigMap, for the schedules that make up for missed ticks. */
  readonly scheduleState?: ScheduleStatePlace | undefined;
}

/** The parts that `runOperator` has opened; it closes them after `run`. */
export interface OperatorParts {
  readonly options: OperatorSettings;
  readonly metrics: Metrics;
  readonly runner: Runner;
  /** Executes runs in place of the runner; absent: it does. */
  readonly executor?: Pick<Executor, 'execute'> | undefined;
  /** Concludes runs that are Jobs; absent: there are none. */
  readonly jobs?: RunJournal | undefined;
  /** Waits until a run of a hook can begin where it is executed; absent: it can at once. */
  readonly room?: ((hook: Hook, signal: AbortSignal) => Promise<void>) | undefined;
  /** The pools of workers; absent: there are none. */
  readonly pools?: (() => readonly PoolView[]) | undefined;
  /** A loading that has begun already; only where hooks are loaded once. */
  readonly loading?: HookLoading | undefined;
  readonly access: ClusterAccess;
  readonly filters: Filters;
  readonly effects: Effects;
  readonly hookMetrics: HookMetrics;
  /** Absent: this operator is the only one. */
  readonly leadership?: Leadership | undefined;
  /** Divides the objects among replicas; it is the `leadership` too. Absent: this replica follows all of them. */
  readonly shards?: Shards | undefined;
  readonly hookEvents?: HookEvents;
  readonly history: RunHistory;
  /** Counts for the page; absent: there is none. */
  readonly activity?: RunJournal | undefined;
  /** Absent: runs are not recorded. */
  readonly recorder?: Recorder | undefined;
  /** Makes a trace of each run; absent: there are none. */
  readonly traces?: RunTraces | undefined;
  readonly events?: Pick<EventRecorder, 'record' | 'tell'>;
  readonly recordEvent?: GivenUpOptions['recordEvent'];
  /** Does the work of each run, such as in a dry run; absent: as it is. */
  readonly around?: DryRun['around'] | undefined;
  /** Opens the locks of hooks; absent: bindings with a lock run without it. */
  readonly openLocks?: ((waiting: WaitingTasks) => RunLocks) | undefined;
  readonly signal: AbortSignal;
  /** Resolves when the last request of a caller has ended, once the operator stops; absent: no requests are waited for. */
  readonly unasked?: Promise<void> | undefined;
}

/** Whether this operator may run hooks. */
export type Leadership = Pick<LeaderElection, 'leading' | 'lost' | 'check' | 'status' | 'takenOver'>;

/** It is run until the last run of a hook has ended. */
export type RunningLeadership = Leadership & Pick<LeaderElection, 'run'>;
