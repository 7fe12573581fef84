import type { ScheduleBinding } from '../../hook/binding.ts';
import { sleep } from '../../lib/sleep.ts';
import { BindingSchedule, type BindingScheduleOptions } from './binding-schedule.ts';
import { targetsOf } from './targets.ts';
import type { ScheduleRecords } from './records.ts';
import type { ScheduledRuns } from './scheduled-runs.ts';

export interface HookSchedulesOptions extends Omit<BindingScheduleOptions, 'records' | 'runs'> {
  readonly hook: string;
  readonly bindings: readonly ScheduleBinding[];
  readonly recordsOf: (binding: ScheduleBinding) => ScheduleRecords;
  readonly scheduledRuns: ScheduledRuns;
}

// A clock that is set forward is noticed within this time.
const MAX_SLEEP_MS = 60_000;

/** The schedules of one hook: has each planned when it is due by the clock. */
export class HookSchedules {
  /** One for each binding, in the order of the config. */
  readonly schedules: readonly BindingSchedule[];
  readonly #now: () => number;
  #wake: () => void = () => {};

  constructor({ hook, bindings, recordsOf, scheduledRuns, ...options }: HookSchedulesOptions) {
    this.schedules = targetsOf(hook, bindings).map((target) => {
      const withRecords = { ...options, records: recordsOf(target.binding) };
      return new BindingSchedule(target, { ...withRecords, runs: scheduledRuns.open(target, withRecords) });
    });
    this.#now = options.now;
  }

  /**
   * Follows the clock until `signal` aborts. What is due is computed from the clock at each wake-up, not from timers.
   */
  async run(signal: AbortSignal): Promise<void> {
    const onIdle = (): void => this.#wake();
    await Promise.all([
      ...this.schedules.map(async (schedule) => schedule.run(onIdle, signal)),
      this.#followClock(signal),
    ]);
  }

  async #followClock(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const wake = new AbortController();
      this.#wake = () => wake.abort();
      await sleep(this.#sleepMs(), wake.signal);
      const nowMs = this.#now();
      if (signal.aborted) return;
      for (const schedule of this.schedules) if ((schedule.dueMs(nowMs) ?? Infinity) <= nowMs) schedule.take();
    }
  }

  #sleepMs(): number {
    const nowMs = this.#now();
    return Math.min(MAX_SLEEP_MS, ...this.schedules.map((schedule) => (schedule.dueMs(nowMs) ?? Infinity) - nowMs));
  }
}
