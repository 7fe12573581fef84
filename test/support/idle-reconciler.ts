import type { ReconcileBinding } from '../../src/hook/binding.ts';
import type { UnitReconciler } from '../../src/units/reconcilers.ts';

/** A reconciler that knows of no objects, with what a test gives it. */
export function idleReconciler(binding: ReconcileBinding, own: Partial<UnitReconciler> = {}): UnitReconciler {
  return {
    binding,
    run: async () => {},
    isSynced: true,
    statuses: () => [],
    enable: () => {},
    hold: () => false,
    isMoot: () => false,
    facts: () => undefined,
    view: () => undefined,
    letGo: () => {},
    shows: async () => {},
    children: () => [],
    childLists: 0,
    made: () => {},
    giveUp: () => {},
    rest: () => {},
    lookAgain: () => 0,
    checkSlices: () => {},
    quiet: async () => {},
    ...own,
  };
}
