import type { Hook } from '../hook/binding.ts';
import type { RunJournal } from '../run/journal.ts';
import type { HookUnit } from '../units/hook-unit.ts';
import type { LoopWarnings } from '../units/loop-warnings.ts';

export interface UnitJournalOptions {
  /** The unit of `hook`, even if the hook was changed or removed meanwhile. */
  readonly unitFor: (hook: Hook) => HookUnit | undefined;
  readonly loops: LoopWarnings;
}

/** Passes the applied operations of a run to the unit of its hook, and the loops found there to `loops`. */
export function unitJournal({ unitFor, loops }: UnitJournalOptions): RunJournal {
  return {
    record(event) {
      if (event.type !== 'applied') return;
      const { task } = event.run;
      const loop = unitFor(task.hook)?.wrote(task, event.operation, event.applied);
      if (loop !== undefined) loops.record(task.hook.name, loop);
    },
  };
}
