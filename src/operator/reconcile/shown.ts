import type { ParentFacts } from '../../sources/reconcile/part-filters.ts';
import type { Started, Writing } from './started.ts';

/** Waits until the watch shows of an object what its run has written to it, or that it is gone; five seconds at most. */
export async function shown(
  { trigger, parent: { uid } }: Pick<Started, 'trigger' | 'parent'>,
  hasIt: (facts: ParentFacts) => boolean,
  { run, reconcilerOf, signal }: Pick<Writing, 'run' | 'reconcilerOf' | 'signal'>,
): Promise<void> {
  const isShown = (facts: ParentFacts | undefined): boolean => facts?.uid !== uid || hasIt(facts);
  await reconcilerOf(run.task.hook, trigger)?.shows(trigger, isShown, signal);
}
