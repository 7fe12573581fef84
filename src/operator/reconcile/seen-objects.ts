import type { ReconcileReader } from '../../hook/context-reconcile.ts';
import type { ReconcileTrigger } from '../../hook/trigger.ts';
import type { Run } from '../../run/run.ts';

/** The objects that the Reconcile contexts of runs showed, for as long as the runs last. */
export class SeenObjects {
  readonly #seen = new WeakMap<Run, Map<ReconcileTrigger, Uint8Array>>();

  /** A reader that remembers for `run` what it reads. */
  reading(run: Run, read: ReconcileReader): ReconcileReader {
    return (trigger) => {
      const view = read(trigger);
      const known = this.#seen.get(run) ?? new Map<ReconcileTrigger, Uint8Array>();
      if (view !== undefined) this.#seen.set(run, known.set(trigger, view.object));
      return view;
    };
  }

  of(run: Run, trigger: ReconcileTrigger): Uint8Array | undefined {
    return this.#seen.get(run)?.get(trigger);
  }
}
