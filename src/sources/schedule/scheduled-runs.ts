import type { ScheduleBinding } from '../../hook/binding.ts';
import type { RunFacts } from '../../hook/context.ts';
import type { ScheduledRun, ScheduleTrigger } from '../../hook/trigger.ts';
import { BindingRuns, type BindingRunsOptions, type RetryCause } from './binding-runs.ts';
import type { ScheduleTarget } from './targets.ts';
import type { EndedOutcome } from './record.ts';

/** The runs of all schedules, found by the binding of their trigger. */
export class ScheduledRuns {
  readonly #byBinding = new WeakMap<ScheduleBinding, BindingRuns>();
  /** By the key of the record: the binding of a hook as it is loaded now. */
  readonly #current = new Map<string, BindingRuns>();

  /** Creates the runs of a binding when its hook is loaded. */
  open(target: ScheduleTarget, options: BindingRunsOptions): BindingRuns {
    const runs = new BindingRuns(target, options);
    this.#byBinding.set(target.binding, runs);
    this.#current.set(runs.key, runs);
    return runs;
  }

  /** Attempts at the runs of these triggers begin. */
  begin(triggers: readonly ScheduleTrigger[]): void {
    for (const [runs, scheduled] of this.#grouped(triggers)) runs.begin(scheduled);
  }

  /** What the binding context says about a run that has begun; undefined for a binding that was never opened. */
  facts({ binding, run }: ScheduleTrigger): RunFacts | undefined {
    return this.#byBinding.get(binding)?.facts(run);
  }

  /**
   * The attempts at the runs of these triggers did not succeed. Where the hook was changed meanwhile, it takes them over.
   */
  retry(triggers: readonly ScheduleTrigger[], why: RetryCause = 'failed'): void {
    for (const [runs, scheduled] of this.#grouped(triggers)) {
      runs.retry(scheduled, why);
      if (runs.isClosed) this.#current.get(runs.key)?.leftBehind();
    }
  }

  end(triggers: readonly ScheduleTrigger[], outcome: EndedOutcome): void {
    for (const [runs, scheduled] of this.#grouped(triggers)) runs.end(scheduled, outcome);
  }

  #grouped(triggers: readonly ScheduleTrigger[]): readonly (readonly [BindingRuns, readonly ScheduledRun[]])[] {
    return [...Map.groupBy(triggers, ({ binding }) => binding)].flatMap(([binding, ofBinding]) => {
      const runs = this.#byBinding.get(binding);
      return runs === undefined ? [] : [[runs, ofBinding.map(({ run }) => run)] as const];
    });
  }
}
