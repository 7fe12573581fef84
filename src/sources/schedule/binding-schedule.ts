import { KubeError } from '../../errors.ts';
import type { ScheduleStatus } from '../../hook/schedule-control.ts';
import type { ScheduleTrigger } from '../../hook/trigger.ts';
import { aborted } from '../../lib/aborted.ts';
import { Channel } from '../../lib/channel.ts';
import { latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { idsOf, type BindingRuns, type BindingRunsOptions } from './binding-runs.ts';
import { MAX_TRIGGERED_OPEN, resumeRuns, triggerRun } from './by-hand.ts';
import { isAhead, newRecord } from './current-record.ts';
import { manualRun, nextDue, planTicks, type Plan } from './plan.ts';
import type { ScheduleTarget } from './targets.ts';
import { isLeftBehind as isKnownLeftBehind, type OpenRun, type ScheduleRecord } from './record.ts';
import { reportPlan } from './report-plan.ts';
import { statusOf } from './status.ts';

export interface BindingScheduleOptions extends BindingRunsOptions {
  readonly runs: BindingRuns;
  readonly emit: (trigger: ScheduleTrigger) => void;
  /** Ends runs of this binding, whether they wait or are running. */
  readonly replace: (runIds: ReadonlySet<string>) => void;
  readonly log: Logger;
}

const CONTROL_LIMIT_MS = 10_000;
const NOT_FOLLOWED =
  'its hook waits for its turn, for its Synchronization or for the state of its schedule; /readyz shows which';
/** Between two heartbeats of a process. */
export const HEARTBEAT_MS = 20_000;
/** A process that has not renewed its heartbeat for this long counts as ended. */
export const SILENCE_MS = 70_000;

/**
 * One schedule binding at work: plans its ticks (`planTicks`) and emits the runs that this process holds.
 * `HookSchedules` calls `run` once, waits until `dueMs`, and then calls `take`. `Schedules` calls `status`, `trigger`,
 * `suspend` and `resume` for a person. `BindingRuns` records what becomes of the runs.
 *
 * 1. Not followed: `run` has not read the record yet. Requests of a person wait for that, for 10 s at most.
 * 2. Busy: a plan is being made and written. The first one comes with the start, where runs of processes that are known
 *    to have ended are taken over.
 * 3. Idle: `dueMs` is when the next plan is due.
 *
 * Open runs at the start whose holder may still be alive get time: the plan after `SILENCE_MS` takes over those whose
 * heartbeat is still the same.
 *
 * What must hold: plans are made one at a time; a run is emitted only after a record that names this process as its
 * holder is written, so two processes that share the record do not run the same tick; and this process emits each run
 * once.
 */
export class BindingSchedule {
  readonly target: ScheduleTarget;
  readonly runs: BindingRuns;
  readonly #options: BindingScheduleOptions;
  readonly #wakes = new Channel<true>();
  /** The ids of the runs in the record that were emitted. */
  #emitted: ReadonlySet<string> = new Set();
  #isBusy = true;
  /** Since when the binding is followed; set when `#followed` resolves. */
  #presentSinceMs: number | undefined;
  readonly #followed = latch();
  #isFirstPlan = true;
  /** Heartbeats of the start, by `heartbeatOf`; a run that has one of them after `SILENCE_MS` has lost its holder. */
  #silent: ReadonlySet<string> = new Set();
  #onIdle: () => void = () => {};
  #due: { readonly record: ScheduleRecord; readonly atMs: number | undefined } | undefined;

  constructor(target: ScheduleTarget, options: BindingScheduleOptions) {
    this.target = target;
    this.#options = options;
    this.runs = options.runs;
  }

  /** When the next plan is due; undefined while the binding is suspended, not followed or busy. */
  dueMs(nowMs: number): number | undefined {
    const record = this.runs.record;
    if (this.#isBusy || record === undefined) return undefined;
    if (isAhead(record, this.target, nowMs)) return nowMs;
    // Cached, since it is read at every wake-up and stays the same until the record changes.
    if (this.#due?.record !== record) this.#due = { record, atMs: nextDue(record, this.target) };
    return this.#due.atMs;
  }

  /** Has the ticks that are due planned; the binding is busy from now on. */
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
    this.runs.follow(() => this.take());
    const waiting = this.#awaitHeartbeats(signal);
    try {
      for await (const _ of this.#wakes) {
        if (signal.aborted) break;
        await this.#plan(signal);
        this.#isBusy = false;
        onIdle();
      }
    } finally {
      await waiting;
      this.runs.close();
    }
  }

  status(): ScheduleStatus {
    return statusOf(this.target, this.runs.record, this.#options.records.isKept);
  }

  /**
   * Runs the binding now, or as soon as it is followed; resolves to the run's id. Rejects with `KubeError` after 10 s,
   * and while 100 runs have not ended.
   */
  async trigger(): Promise<string> {
    const { me, now } = this.#options;
    const run = manualRun(this.target, now(), me);
    const replaced = await this.#change((record) => triggerRun(record, run, this.target.binding.concurrency));
    if (replaced === 'too-many') throw tooMany(this.target);
    this.#replace(replaced);
    this.#emit();
    return run.runId;
  }

  /** Stops planning ticks until `resume`; rejects with `KubeError` after 10 s. */
  async suspend(): Promise<void> {
    await this.#change((record) => ({ record: { ...record, isSuspended: true }, result: true }));
  }

  /** Plans ticks again, from now on; rejects with `KubeError` after 10 s. */
  async resume(): Promise<void> {
    const { me, now } = this.#options;
    await this.#change((record) => ({ record: resumeRuns(record, me, now()), result: true }));
  }

  /**
   * The holder of a run that was open at the start may be alive or have ended. Waits once for its heartbeat, then plans
   * again: runs that still have the same heartbeat are taken over.
   */
  async #awaitHeartbeats(signal: AbortSignal): Promise<void> {
    const others = (this.runs.record?.open ?? []).filter((run) => run.holder !== this.#options.me);
    const unknown = others.filter((run) => !isKnownLeftBehind(run, this.#options.me));
    if (unknown.length === 0) return;
    await sleep(SILENCE_MS, signal);
    await this.#options.records.refresh(signal);
    if (signal.aborted) return;
    this.#silent = new Set(unknown.map(heartbeatOf));
    this.take();
  }

  async #plan(signal: AbortSignal): Promise<void> {
    const { records, me, now, log, observer } = this.#options;
    const { target } = this;
    const presentSinceMs = this.#presentSinceMs ?? now();
    const isStart = this.#isFirstPlan;
    const silent = this.#silent;
    const isLeftBehind = (run: OpenRun): boolean =>
      silent.has(heartbeatOf(run)) ||
      (isStart && isKnownLeftBehind(run, me)) ||
      // Of this binding before its hook was changed.
      (run.state === 'interrupted' && run.holder === me);
    const plan = await records.update<Plan>(
      this.runs.key,
      (known) => {
        const result = planTicks(known, target, { nowMs: now(), presentSinceMs, isStart, me, isLeftBehind });
        return { record: result.record, result };
      },
      signal,
    );
    if (plan === undefined) return;
    this.#isFirstPlan = false;
    this.#silent = new Set();
    reportPlan(plan, { target, nowMs: now(), isTick: !isStart && silent.size === 0, observer, log });
    this.#replace(plan.replaced);
    const again = idsOf(plan.runs);
    this.#emitted = new Set([...this.#emitted].filter((runId) => !again.has(runId)));
    this.#emit();
    observer.onRecord(target, plan.record);
  }

  /** Emits the waiting runs that this process holds, also those of a write whose response was lost. */
  #emit(): void {
    const { mine } = this.runs;
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
    const result = await records.update<R>(this.runs.key, (known) => change(known ?? newRecord(target, now())), limit);
    if (result === undefined) throw tooLate(`${place}: its state could not be written`);
    if (this.runs.record !== undefined) observer.onRecord(target, this.runs.record);
    this.#onIdle();
    return result;
  }
}

function tooMany({ id, hook }: ScheduleTarget): KubeError {
  const message = `schedule ${id} of hook ${hook}: ${MAX_TRIGGERED_OPEN} runs have not ended, wait for them`;
  return new KubeError(message, { status: 429, reason: 'TooManyRequests' });
}

function tooLate(what: string, why = ''): KubeError {
  return new KubeError(`${what} within ${CONTROL_LIMIT_MS / 1000} s${why}`, { status: 0, reason: 'Timeout' });
}

/** Names one heartbeat of a run's holder: differs after each renewal. */
function heartbeatOf({ runId, holder, heartbeatMs }: OpenRun): string {
  return `${runId} ${holder} ${heartbeatMs}`;
}
