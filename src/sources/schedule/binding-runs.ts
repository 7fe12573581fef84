import type { RunFacts } from '../../hook/context.ts';
import type { ScheduledRun } from '../../hook/trigger.ts';
import { recordKey } from '../../state/record-key.ts';
import type { ScheduleTarget } from './targets.ts';
import {
  endRuns,
  interruptRuns,
  renewRuns,
  retryRuns,
  startRuns,
  type EndedOutcome,
  type OpenRun,
  type ScheduleRecord,
} from './record.ts';
import type { ScheduleRecords } from './records.ts';
import { withFailure, withoutFailures } from './suspension.ts';

/** Receives the changes of schedules, for metrics and Events. */
export interface ScheduleObserver {
  onRecord(target: ScheduleTarget, record: ScheduleRecord): void;
  onMissed(target: ScheduleTarget, missed: { readonly count: number; readonly isAtLeast: boolean }): void;
  onSkipped(target: ScheduleTarget, count: number): void;
  /** An attempt failed. */
  onFailed(target: ScheduleTarget, runId: string): void;
  /** The binding was suspended after so many failed attempts in a row. */
  onSuspended?(target: ScheduleTarget, failures: number): void;
}

/**
 * Why runs wait for another attempt: the hook failed, its environment did, it said that its work cannot be done yet, or
 * it was changed or removed meanwhile.
 */
export type RetryCause = 'failed' | 'environment' | 'later' | 'gone';

export interface BindingRunsOptions {
  readonly records: ScheduleRecords;
  /** Names this process. */
  readonly me: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly observer: ScheduleObserver;
}

/**
 * The runs of one schedule binding, in its record. `BindingSchedule` plans and emits runs; the journal reports their
 * attempts to this class, and the operator has it renew heartbeats. All changes are notes: they take effect in memory
 * immediately, and are written when the store works.
 */
export class BindingRuns {
  readonly key: string;
  readonly #target: ScheduleTarget;
  readonly #options: BindingRunsOptions;
  #isClosed = false;
  #replan: () => void = () => {};

  constructor(target: ScheduleTarget, options: BindingRunsOptions) {
    this.key = recordKey(target.hook, target.id);
    this.#target = target;
    this.#options = options;
  }

  /** Whether the binding is no longer followed: its hook was changed or removed, or the operator ends. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get record(): ScheduleRecord | undefined {
    return this.#options.records.get(this.key);
  }

  /** The open runs that this process holds. */
  get mine(): readonly OpenRun[] {
    return (this.record?.open ?? []).filter(({ holder }) => holder === this.#options.me);
  }

  /** Attempts at these runs begin. */
  begin(runs: readonly ScheduledRun[]): void {
    const { me, now } = this.#options;
    const nowMs = now();
    const open = runs.map((run): OpenRun => {
      const { runId, scheduledAtMs, reason } = run;
      const attempts = this.#attemptsOf(run) + 1;
      return { runId, scheduledAtMs, reason, state: 'running', attempts, holder: me, heartbeatMs: nowMs };
    });
    this.#note((record) => startRuns(record, open, nowMs));
  }

  /** What the binding context says about a run, which must have begun. */
  facts(run: ScheduledRun): RunFacts {
    const { lastSucceededMs } = this.record ?? {};
    const attempt = Math.max(1, this.#attemptsOf(run));
    return { attempt, ...(lastSucceededMs !== undefined && { lastSuccessMs: lastSucceededMs }) };
  }

  /** The attempts did not succeed. The runs wait for another one; those of a closed binding are interrupted. */
  retry(runs: readonly ScheduledRun[], why: RetryCause): void {
    const ids = idsOf(runs);
    if (why !== 'later') for (const { runId } of runs) this.#options.observer.onFailed(this.#target, runId);
    const isClosed = this.#isClosed;
    this.#note((record) => {
      if (isClosed) return interruptRuns(record, ({ runId }) => ids.has(runId));
      return this.#counted(retryRuns(record, ids, why === 'later' ? 'waiting' : 'failed'), why === 'failed');
    });
  }

  /** The runs have ended with `outcome`, and leave the record. */
  end(runs: readonly ScheduledRun[], outcome: EndedOutcome): void {
    const { now, observer } = this.#options;
    const nowMs = now();
    if (outcome === 'failed') for (const { runId } of runs) observer.onFailed(this.#target, runId);
    const isGrouped = this.#target.binding.group !== undefined;
    const ids = isGrouped ? idsUpTo(runs, this.record?.open ?? []) : idsOf(runs);
    this.#note((record) => {
      const ended = endRuns(record, { ids, outcome, nowMs });
      return outcome === 'succeeded' ? withoutFailures(ended) : this.#counted(ended, outcome === 'failed');
    });
  }

  /** Renews the heartbeat of the runs that this process holds, where others can read the record. */
  heartbeat(): void {
    const { records, me, now } = this.#options;
    const nowMs = now();
    if (records.isKept && this.mine.length > 0) this.#note((record) => renewRuns(record, me, nowMs));
  }

  /** The operator ends: interrupts all runs that this process holds, so that the next operator may take them over. */
  interrupt(): void {
    this.#note((record) => interruptRuns(record, ({ holder }) => holder === this.#options.me));
  }

  /** Following the binding ends: interrupts the runs that wait, and from now on those that fail. */
  close(): void {
    this.#isClosed = true;
    this.#replan = () => {};
    const isMine = ({ holder, state }: OpenRun): boolean => holder === this.#options.me && state === 'waiting';
    this.#note((record) => interruptRuns(record, isMine));
  }

  /** `replan` plans the binding; it is called when runs of it were left behind. */
  follow(replan: () => void): void {
    if (!this.#isClosed) this.#replan = replan;
  }

  /** Runs of this binding, as it was before its hook was changed, are left behind. */
  leftBehind(): void {
    this.#replan();
  }

  #note(change: (record: ScheduleRecord) => ScheduleRecord): void {
    const { records, observer } = this.#options;
    const wasSuspended = this.record?.isSuspended ?? false;
    records.note(this.key, change);
    const { record } = this;
    if (record === undefined) return;
    observer.onRecord(this.#target, record);
    if (record.isSuspended && !wasSuspended) observer.onSuspended?.(this.#target, record.failures ?? 0);
  }

  #counted(record: ScheduleRecord, isFailure: boolean): ScheduleRecord {
    return isFailure ? withFailure(record, this.#target.binding.suspendAfter) : record;
  }

  #attemptsOf({ runId, attemptsBefore }: ScheduledRun): number {
    return this.record?.open.find((run) => run.runId === runId)?.attempts ?? attemptsBefore;
  }
}

/** With a group, the tasks of earlier runs were merged into that of a later one, so those runs end with it. */
function idsUpTo(runs: readonly ScheduledRun[], open: readonly OpenRun[]): ReadonlySet<string> {
  const untilMs = Math.max(...runs.map(({ scheduledAtMs }) => scheduledAtMs));
  return idsOf(open.filter(({ scheduledAtMs }) => scheduledAtMs <= untilMs));
}

/** The ids of runs as a set. */
export function idsOf(runs: readonly { readonly runId: string }[]): ReadonlySet<string> {
  return new Set(runs.map(({ runId }) => runId));
}
