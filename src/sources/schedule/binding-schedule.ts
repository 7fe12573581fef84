import { KubeError } from '../../errors.ts';
import type { ScheduleStatus } from '../../hook/schedule-control.ts';
import type { RunFacts } from '../../hook/context.ts';
import type { ScheduledRun, ScheduleTrigger } from '../../hook/trigger.ts';
import { aborted } from '../../lib/aborted.ts';
import { Channel } from '../../lib/channel.ts';
import { latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { recordKey } from '../../state/record-key.ts';
import { resumeRuns, triggerRun } from './by-hand.ts';
import { isAhead, manualRun, newRecord, nextDue, planTicks, type Plan, type ScheduleTarget } from './plan.ts';
import {
  beatRuns,
  endRuns,
  interruptRuns,
  isLeftBehind as isOver,
  retryRuns,
  startRuns,
  type EndedOutcome,
  type OpenRun,
  type ScheduleRecord,
} from './record.ts';
import type { ScheduleRecords } from './records.ts';
import { statusOf } from './status.ts';
import { tellPlan } from './tell-plan.ts';

/** What becomes known of a schedule, for metrics and Events. */
export interface ScheduleObserver {
  onRecord(target: ScheduleTarget, record: ScheduleRecord): void;
  onMissed(target: ScheduleTarget, missed: { readonly count: number; readonly isAtLeast: boolean }): void;
  onSkipped(target: ScheduleTarget, count: number): void;
  /** An attempt failed. */
  onFailed(target: ScheduleTarget, runId: string): void;
}

export interface BindingScheduleOptions {
  readonly records: ScheduleRecords;
  /** Names this process. */
  readonly me: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly emit: (trigger: ScheduleTrigger) => void;
  /** Ends runs of this binding, whether they wait or go on. */
  readonly replace: (runIds: ReadonlySet<string>) => void;
  readonly observer: ScheduleObserver;
  readonly log: Logger;
}

const CONTROL_LIMIT_MS = 10_000;
const NOT_FOLLOWED =
  'its hook waits for its turn, for its Synchronization or for the state of its schedule; /readyz tells what is amiss';
/** How often a process says that it is alive. */
export const BEAT_MS = 20_000;
/** Of a run whose process says nothing for so long, that process is over. */
export const SILENCE_MS = 70_000;

/** One schedule binding at work: its record, and the runs that have not ended. */
export class BindingSchedule {
  readonly target: ScheduleTarget;
  readonly #options: BindingScheduleOptions;
  readonly #key: string;
  readonly #wakes = new Channel<true>();
  #emitted: ReadonlySet<string> = new Set();
  #isBusy = true;
  #isEnded = false;
  /** Set once the binding is followed, which `#followed` waits for. */
  #presentSinceMs: number | undefined;
  readonly #followed = latch();
  #isFirstPlan = true;
  /** Runs whose process was listened for and said nothing. */
  #silent: ReadonlySet<string> = new Set();
  #onIdle: () => void = () => {};
  #due: { readonly record: ScheduleRecord; readonly atMs: number | undefined } | undefined;

  constructor(target: ScheduleTarget, options: BindingScheduleOptions) {
    this.target = target;
    this.#options = options;
    this.#key = recordKey(target.hook, target.id);
  }

  /** When there is something to do, seen from now; absent while suspended, or while a tick is being dealt with. */
  dueMs(nowMs: number): number | undefined {
    const record = this.#record;
    if (this.#isBusy || record === undefined) return undefined;
    if (isAhead(record, this.target, nowMs)) return nowMs;
    // Asked at every wake, while the answer is the same from tick to tick.
    if (this.#due?.record !== record) this.#due = { record, atMs: nextDue(record, this.target) };
    return this.#due.atMs;
  }

  /** Has what is due dealt with. */
  take(): void {
    this.#isBusy = true;
    this.#wakes.push(true);
  }

  /** Follows the binding until `signal` aborts; `onIdle` is called whenever `dueMs` changed. */
  async run(onIdle: () => void, signal: AbortSignal): Promise<void> {
    this.#onIdle = onIdle;
    await this.#options.records.ready(signal);
    this.#presentSinceMs = this.#options.now();
    this.#followed.resolve();
    if (signal.aborted) this.#wakes.close();
    signal.addEventListener('abort', () => this.#wakes.close(), { once: true });
    this.take();
    const listening = this.#listen(signal);
    try {
      for await (const _ of this.#wakes) {
        if (signal.aborted) break;
        await this.#plan(signal);
        this.#isBusy = false;
        onIdle();
      }
    } finally {
      await listening;
      this.#isEnded = true;
      const isMine = ({ by, state }: OpenRun): boolean => by === this.#options.me && state === 'waiting';
      this.#note((record) => interruptRuns(record, isMine));
    }
  }

  status(): ScheduleStatus {
    return statusOf(this.target, this.#record, this.#options.records.isKept);
  }

  /** Runs the binding now, or as soon as it is followed; returns the run's id, rejects with `KubeError` after 10 s. */
  async trigger(): Promise<string> {
    const { me, now } = this.#options;
    const run = manualRun(this.target, now(), me);
    const replaced = await this.#change((record) => triggerRun(record, run, this.target.binding.concurrency));
    this.#replace(replaced);
    this.#emit();
    return run.runId;
  }

  async suspend(): Promise<void> {
    await this.#change((record) => ({ record: { ...record, isSuspended: true }, result: true }));
  }

  async resume(): Promise<void> {
    const { me, now } = this.#options;
    await this.#change((record) => ({ record: resumeRuns(record, me, now()), result: true }));
  }

  /** Runs of this binding begin an attempt. */
  begin(runs: readonly ScheduledRun[]): void {
    const { me, now } = this.#options;
    const nowMs = now();
    const open = runs.map((run): OpenRun => {
      const { runId, scheduledAtMs, reason } = run;
      return {
        runId,
        scheduledAtMs,
        reason,
        state: 'running',
        attempts: this.#attemptsOf(run) + 1,
        by: me,
        aliveMs: nowMs,
      };
    });
    this.#note((record) => startRuns(record, open, nowMs));
  }

  /** To be asked for a run that has begun. */
  facts(run: ScheduledRun): RunFacts {
    const { lastSucceededMs } = this.#record ?? {};
    const attempt = Math.max(1, this.#attemptsOf(run));
    return { attempt, ...(lastSucceededMs !== undefined && { lastSuccessMs: lastSucceededMs }) };
  }

  /** The attempt failed; another one follows, unless the binding is followed no more. */
  retry(runs: readonly ScheduledRun[]): void {
    const ids = idsOf(runs);
    for (const { runId } of runs) this.#options.observer.onFailed(this.target, runId);
    const isEnded = this.#isEnded;
    this.#note((record) => (isEnded ? interruptRuns(record, ({ runId }) => ids.has(runId)) : retryRuns(record, ids)));
  }

  end(runs: readonly ScheduledRun[], outcome: EndedOutcome): void {
    const nowMs = this.#options.now();
    if (outcome === 'failed') for (const { runId } of runs) this.#options.observer.onFailed(this.target, runId);
    const ids = this.target.binding.group === undefined ? idsOf(runs) : idsUpTo(runs, this.#record?.open ?? []);
    this.#note((record) => endRuns(record, { ids, outcome, nowMs }));
  }

  /** Says that this process is alive, where another one might take its runs for left behind. */
  beat(): void {
    const { records, me, now } = this.#options;
    const hasRuns = this.#record?.open.some(({ by }) => by === me) === true;
    const nowMs = now();
    if (records.isKept && hasRuns) this.#note((record) => beatRuns(record, me, nowMs));
  }

  /** The operator ends: whatever of this binding has not ended is left to the next one. */
  interrupt(): void {
    this.#note((record) => interruptRuns(record, ({ by }) => by === this.#options.me));
  }

  get #record(): ScheduleRecord | undefined {
    return this.#options.records.get(this.#key);
  }

  /** Another process may be running what was open at the start, or be gone: it is listened for once. */
  async #listen(signal: AbortSignal): Promise<void> {
    const others = (this.#record?.open ?? []).filter((run) => run.by !== this.#options.me);
    const unknown = others.filter((run) => !isOver(run, this.#options.me));
    if (unknown.length === 0) return;
    await sleep(SILENCE_MS, signal);
    await this.#options.records.refresh(signal);
    if (signal.aborted) return;
    this.#silent = new Set(unknown.map(signOf));
    this.take();
  }

  async #plan(signal: AbortSignal): Promise<void> {
    const { records, me, now, log, observer } = this.#options;
    const { target } = this;
    const presentSinceMs = this.#presentSinceMs ?? now();
    const isStart = this.#isFirstPlan;
    const silent = this.#silent;
    const isLeftBehind = (run: OpenRun): boolean => silent.has(signOf(run)) || (isStart && isOver(run, me));
    const plan = await records.update<Plan>(
      this.#key,
      (known) => {
        const result = planTicks(known, target, { nowMs: now(), presentSinceMs, isStart, me, isLeftBehind });
        return { record: result.record, result };
      },
      signal,
    );
    if (plan === undefined) return;
    this.#isFirstPlan = false;
    this.#silent = new Set();
    tellPlan(plan, { target, nowMs: now(), isTick: !isStart && silent.size === 0, observer, log });
    this.#replace(plan.replaced);
    this.#emit();
    observer.onRecord(target, plan.record);
  }

  /** Emits what this process has taken, also when it was taken by a write whose answer was lost. */
  #emit(): void {
    const mine = (this.#record?.open ?? []).filter(({ by }) => by === this.#options.me);
    for (const { runId, scheduledAtMs, reason, attempts, state } of mine) {
      if (state !== 'waiting' || this.#emitted.has(runId)) continue;
      const run = { runId, scheduledAtMs, reason, attemptsBefore: attempts };
      this.#options.emit({ type: 'schedule', binding: this.target.binding, run });
    }
    this.#emitted = idsOf(mine);
  }

  #replace(runs: readonly OpenRun[]): void {
    if (runs.length > 0) this.#options.replace(idsOf(runs));
  }

  async #change<R>(
    change: (record: ScheduleRecord) => { readonly record: ScheduleRecord; readonly result: R },
  ): Promise<R> {
    const { records, now, observer } = this.#options;
    const { target } = this;
    const place = `schedule ${target.id} of hook ${target.hook}`;
    const limit = AbortSignal.timeout(CONTROL_LIMIT_MS);
    await Promise.race([this.#followed.promise, aborted(limit)]);
    if (this.#presentSinceMs === undefined) throw tooLate(`${place} is not followed`, `: ${NOT_FOLLOWED}`);
    const result = await records.update<R>(this.#key, (known) => change(known ?? newRecord(target, now())), limit);
    if (result === undefined) throw tooLate(`${place}: its state could not be written`);
    if (this.#record !== undefined) observer.onRecord(target, this.#record);
    this.#onIdle();
    return result;
  }

  #note(change: (record: ScheduleRecord) => ScheduleRecord): void {
    this.#options.records.note(this.#key, change);
    if (this.#record !== undefined) this.#options.observer.onRecord(this.target, this.#record);
  }

  #attemptsOf({ runId, attemptsBefore }: ScheduledRun): number {
    return this.#record?.open.find((run) => run.runId === runId)?.attempts ?? attemptsBefore;
  }
}

function tooLate(what: string, why = ''): KubeError {
  return new KubeError(`${what} within ${CONTROL_LIMIT_MS / 1000} s${why}`, { status: 0, reason: 'Timeout' });
}

/** Changes with every sign of life. */
function signOf({ runId, by, aliveMs }: OpenRun): string {
  return `${runId} ${by} ${aliveMs}`;
}

/** A run of a group stands for those before it, which were merged into it. */
function idsUpTo(runs: readonly ScheduledRun[], open: readonly OpenRun[]): ReadonlySet<string> {
  const untilMs = Math.max(...runs.map(({ scheduledAtMs }) => scheduledAtMs));
  return idsOf(open.filter(({ scheduledAtMs }) => scheduledAtMs <= untilMs));
}

function idsOf(runs: readonly { readonly runId: string }[]): ReadonlySet<string> {
  return new Set(runs.map(({ runId }) => runId));
}
