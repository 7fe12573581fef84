import type { Hook } from '../../hook/binding.ts';
import { lockOf } from '../../hook/task.ts';
import type { FactsReader } from '../../hook/context.ts';
import { isMoved } from '../../hook/trigger.ts';
import { attempt, type AttemptOptions } from '../../run/attempt.ts';
import type { Run, RunOutcome } from '../../run/run.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { RunLocks } from '../locks/run-locks.ts';
import type { SeenObjects } from '../reconcile/seen-objects.ts';
import { checkedAfter } from './checked-after.ts';
import { REPLACED, type EndableRuns } from './endable-runs.ts';

export interface UnitRunOptions extends AttemptOptions {
  /** The unit of a hook; undefined when the hook was changed or removed. */
  readonly unitOf: (hook: Hook) => HookUnit | undefined;
  /** Reads what the binding context says about a run of a schedule. */
  readonly facts: FactsReader;
  readonly endable: EndableRuns;
  /** Absent: bindings with a lock run without it, as in a dry run. */
  readonly locks?: Pick<RunLocks, 'during'> | undefined;
  /** Remembers what Reconcile contexts showed. */
  readonly seen?: SeenObjects | undefined;
  /** Does the work of a run, such as in a dry run; absent: as it is. */
  readonly around?: (<T>(run: Run, work: () => Promise<T>) => Promise<T>) | undefined;
  /** Aborts when the grace period is over: ends hooks, and the work on their output. */
  readonly terminate: AbortSignal;
}

const NEVER = new AbortController().signal;

/**
 * Runs a task with the snapshots of its unit, and under its lock; never rejects. `signal` ends the hook, and the work on
 * its output.
 */
export async function runInUnit(run: Run, options: UnitRunOptions, signal: AbortSignal = NEVER): Promise<RunOutcome> {
  const lock = lockOf(run.task);
  if (lock === undefined || options.locks === undefined) return runFree(run, options, signal);
  const outcome = await options.locks.during(run, lock, options.terminate, async (lost, hookEnded) => {
    const executor = checkedAfter(options.executor, hookEnded);
    return runFree(run, { ...options, executor }, AbortSignal.any([signal, lost]));
  });
  const isNew = outcome.type === 'later' && outcome.lockedOut !== undefined && run.task.lockedOut === undefined;
  // A run whose hook did not start is remembered once, and not each time that its task looks again.
  if (isNew) options.journal.record({ type: 'started', run, waitedMs: Math.max(0, Date.now() - run.task.queuedAtMs) });
  return outcome;
}

async function runFree(run: Run, options: UnitRunOptions, signal: AbortSignal): Promise<RunOutcome> {
  const { task } = run;
  const unit = options.unitOf(task.hook);
  if (unit === undefined) {
    return { type: 'interrupted', by: 'reload', error: new Error('the hook was changed or removed') };
  }
  // It was given while this run waited for its lock.
  if (task.triggers.some(isMoved)) return movedAway();
  const terminate = AbortSignal.any([options.terminate, signal]);
  // `attempt` reads the contexts in this turn of the event loop: events after it are held until the run has ended.
  unit.begin(task);
  const view = unit.view.bind(unit);
  const readers = {
    read: unit.objects.bind(unit),
    facts: options.facts,
    view: options.seen?.reading(run, view) ?? view,
  };
  const { around = async (_run, work) => work() } = options;
  return options.endable.during(task, async (stop, cut) => {
    const signals = { terminate: AbortSignal.any([terminate, cut]), stop };
    const outcome = await around(run, async () => attempt(run, readers, options, signals));
    const isUnfinished = outcome.type === 'failed' || outcome.type === 'later';
    if (!isUnfinished) return outcome;
    if (cut.aborted) return movedAway(outcome);
    return stop.reason === REPLACED ? { type: 'replaced', ...(outcome.cost && { cost: outcome.cost }) } : outcome;
  });
}

function movedAway({ cost }: Pick<RunOutcome, 'cost'> = {}): RunOutcome {
  const error = new Error('its objects moved to another replica');
  return { type: 'interrupted', by: 'moved', error, ...(cost && { cost }) };
}
