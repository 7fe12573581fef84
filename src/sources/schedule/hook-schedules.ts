import type { ScheduleBinding } from '../../hook/binding.ts';
import { sleep } from '../../lib/sleep.ts';
import type { RunFacts } from '../../hook/context.ts';
import type { ScheduleTrigger } from '../../hook/trigger.ts';
import { BindingSchedule, type BindingScheduleOptions } from './binding-schedule.ts';
import { targetsOf } from './targets.ts';
import type { EndedOutcome } from './record.ts';
import type { ScheduleRecords } from './records.ts';

export interface HookSchedulesOptions extends Omit<BindingScheduleOptions, 'records'> {
  readonly hook: string;
  readonly bindings: readonly ScheduleBinding[];
  readonly recordsOf: (binding: ScheduleBinding) => ScheduleRecords;
}

// A clock that is moved forward is noticed after one nap at the latest.
const MAX_NAP_MS = 60_000;

/** The schedules of one hook: emits a trigger whenever one is due, and remembers what became of it. */
export class HookSchedules {
  readonly schedules: readonly BindingSchedule[];
  readonly #byBinding: ReadonlyMap<ScheduleBinding, BindingSchedule>;
  readonly #now: () => number;
  #wake: () => void = () => {};

  constructor({ hook, bindings, recordsOf, ...options }: HookSchedulesOptions) {
    this.schedules = targetsOf(hook, bindings).map(
      (target) => new BindingSchedule(target, { ...options, records: recordsOf(target.binding) }),
    );
    this.#byBinding = new Map(this.schedules.map((schedule) => [schedule.target.binding, schedule]));
    this.#now = options.now;
  }

  /** Follows the clock until `signal` aborts: what is due is always found from what the clock shows, never counted. */
  async run(signal: AbortSignal): Promise<void> {
    const onIdle = (): void => this.#wake();
    await Promise.all([
      ...this.schedules.map(async (schedule) => schedule.run(onIdle, signal)),
      this.#followClock(signal),
    ]);
  }

  /** Runs of schedules begin an attempt. */
  begin(triggers: readonly ScheduleTrigger[]): void {
    for (const [schedule, runs] of this.#grouped(triggers)) schedule.begin(runs.map(({ run }) => run));
  }

  facts({ binding, run }: ScheduleTrigger): RunFacts | undefined {
    return this.#byBinding.get(binding)?.facts(run);
  }

  /** An attempt failed that is repeated. */
  retry(triggers: readonly ScheduleTrigger[]): void {
    for (const [schedule, runs] of this.#grouped(triggers)) schedule.retry(runs.map(({ run }) => run));
  }

  end(triggers: readonly ScheduleTrigger[], outcome: EndedOutcome): void {
    for (const [schedule, runs] of this.#grouped(triggers))
      schedule.end(
        runs.map(({ run }) => run),
        outcome,
      );
  }

  async #followClock(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const wake = new AbortController();
      this.#wake = () => wake.abort();
      await sleep(this.#nap(), wake.signal);
      const nowMs = this.#now();
      if (signal.aborted) return;
      for (const schedule of this.schedules) if ((schedule.dueMs(nowMs) ?? Infinity) <= nowMs) schedule.take();
    }
  }

  #nap(): number {
    const nowMs = this.#now();
    return Math.min(MAX_NAP_MS, ...this.schedules.map((schedule) => (schedule.dueMs(nowMs) ?? Infinity) - nowMs));
  }

  #grouped(triggers: readonly ScheduleTrigger[]): readonly (readonly [BindingSchedule, readonly ScheduleTrigger[]])[] {
    return [...Map.groupBy(triggers, ({ binding }) => binding)].flatMap(([binding, runs]) => {
      const schedule = this.#byBinding.get(binding);
      return schedule === undefined ? [] : [[schedule, runs] as const];
    });
  }
}
