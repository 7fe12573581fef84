import type { ReconcileBinding } from '../../hook/binding.ts';
import type { Bell } from '../../lib/bell.ts';
import type { MonitorStatus } from '../../sources/kubernetes/monitor.ts';
import type { Part } from '../../sources/reconcile/parts.ts';
import type { UnitReconciler } from '../../units/reconcilers.ts';

export interface ContestedOptions {
  readonly binding: ReconcileBinding;
  /** The watch of the parents, under whose name the problem is shown. */
  readonly shown: Part['binding'];
  /** The name of the hook that has the binding now; undefined when it is free. */
  readonly owner: () => string | undefined;
  /** Rings when the binding may be free. */
  readonly freed: Bell;
  /** Creates the reconciler once the binding is free. */
  readonly create: () => UnitReconciler;
  readonly onProblem: (message: string) => void;
  /** It waits no more. */
  readonly onEnd: () => void;
}

/**
 * A reconcile binding that another hook has already, by name and kind of the parents: each would take the children of
 * the other for its own. It does nothing, and says why, until the other hook is gone or has changed; then it is a
 * reconciler as any other.
 */
export function createContestedReconciler(options: ContestedOptions): UnitReconciler {
  const { binding, shown, owner, freed, create, onProblem, onEnd } = options;
  let inner: UnitReconciler | undefined;
  const problem = (): string =>
    `hook ${owner()} has a reconcile binding ${binding.name} for ${binding.kind}, give this one another name`;
  const status = (): MonitorStatus => ({ isSynced: false, problem: problem() });
  return {
    binding,
    async run(signal) {
      // Hooks after it must not wait for it.
      if (owner() !== undefined) onProblem(problem());
      signal.addEventListener('abort', freed.ring, { once: true });
      while (!signal.aborted && owner() !== undefined) await freed.rung();
      onEnd();
      if (signal.aborted) return;
      inner = create();
      await inner.run(signal);
    },
    get isSynced() {
      return inner?.isSynced ?? false;
    },
    statuses: () => inner?.statuses() ?? [[shown, status()]],
    enable: () => inner?.enable(),
    hold: (trigger) => inner?.hold(trigger) ?? true,
    isMoot: (place) => inner?.isMoot(place) ?? true,
    facts: (place) => inner?.facts(place),
    view: (trigger) => inner?.view(trigger),
    children: (place) => inner?.children(place) ?? [],
    giveUp: (place) => inner?.giveUp(place),
    rest: (place, delayMs) => inner?.rest(place, delayMs),
    lookAgain: (place) => inner?.lookAgain(place) ?? 0,
    letGo: (place, uid) => inner?.letGo(place, uid),
    shows: async (place, isShown, signal) => inner?.shows(place, isShown, signal),
    get childLists() {
      return inner?.childLists ?? 0;
    },
    checkSlices: () => inner?.checkSlices(),
    quiet: async (signal) => inner?.quiet(signal),
    made: (place, children, since) => inner?.made(place, children, since),
  };
}
