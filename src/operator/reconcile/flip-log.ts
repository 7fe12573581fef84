import type { Flip } from '../../effects/children/flips.ts';
import type { Logger } from '../../log.ts';

/** A child is logged once in this time. */
const INTERVAL_MS = 600_000;
const MAX_CHILDREN = 1000;

/** Creates the function that logs children which are written again and again, each once in 10 minutes. */
export function createFlipLog(log: Logger, now: () => number): (binding: string, flip: Flip) => void {
  const loggedAtMs = new Map<string, number>();
  return (binding, { child, writes, fields }) => {
    const nowMs = now();
    if (nowMs - (loggedAtMs.get(child) ?? -Infinity) < INTERVAL_MS) return;
    loggedAtMs.delete(child);
    loggedAtMs.set(child, nowMs);
    const [oldest] = loggedAtMs.size > MAX_CHILDREN ? loggedAtMs.keys() : [];
    if (oldest !== undefined) loggedAtMs.delete(oldest);
    log.warn(
      { binding, child, writes, ...(fields.length > 0 && { fields }) },
      'a child is written again and again, so its object is looked at less often: the hook answers something else each time, or somebody else changes the same fields',
    );
  };
}
