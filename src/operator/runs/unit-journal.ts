import type { Hook } from '../../hook/binding.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { LoopWarnings } from '../../units/loop-warnings.ts';

export interface UnitJournalOptions {
  /** The unit of `hook`, even if the hook was changed or removed meanwhile. */
  readonly unitFor: (hook: Hook) => HookUnit | undefined;
  readonly loops: LoopWarnings;
}

/**
 * Passes the applied operations of a run to the unit of its hook, and the loops found there to `loops`; tells the unit
 * which objects are given up.
 */
export function unitJournal({ unitFor, loops }: UnitJournalOptions): RunJournal {
  return {
    record(event) {
      if (event.type === 'ended') {
        for (const { task, next } of event.parts) if (next.type === 'dead') unitFor(task.hook)?.giveUp(task);
      }
      if (event.type !== 'applied') return;
      const { task } = event.run;
      const loop = unitFor(task.hook)?.wrote(task, event.operation, event.applied);
      if (loop !== undefined) loops.record(task.hook.name, loop);
    },
  };
}
