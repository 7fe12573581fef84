import { attempt, type AttemptOptions } from '../run/attempt.ts';
import type { Run, RunOutcome } from '../run/run.ts';
import type { EndableRuns } from './endable-runs.ts';
import type { HookUnit } from './hook-unit.ts';

export interface UnitRunOptions extends AttemptOptions {
  readonly endable: EndableRuns;
  /** Ends hooks, and what is done when they have ended: the grace period is over. */
  readonly terminate: AbortSignal;
}

/** Runs a task; `signal` ends the hook, and what is done when it has ended. */
export type UnitRun = (run: Run, unit: HookUnit, signal?: AbortSignal) => Promise<RunOutcome>;

const NEVER = new AbortController().signal;

/** Runs tasks with the snapshots of their unit; never rejects. */
export function runInUnit(options: UnitRunOptions): UnitRun {
  const { endable } = options;
  return async (run, unit, signal = NEVER) => {
    const { task } = run;
    const terminate = AbortSignal.any([options.terminate, signal]);
    // In one go with the reading of the contexts: what happens later is held for after the run.
    unit.begin(task);
    const readers = { read: unit.objects.bind(unit), facts: unit.facts.bind(unit) };
    const outcome = await endable.during(task, async (stop) => attempt(run, readers, options, { terminate, stop }));
    if (outcome.type !== 'failed' || !unit.isReplaced(task)) return outcome;
    return { type: 'replaced', ...(outcome.cost && { cost: outcome.cost }) };
  };
}
