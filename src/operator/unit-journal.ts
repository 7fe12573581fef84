import type { Hook } from '../hook/binding.ts';
import type { RunJournal } from '../run/journal.ts';
import type { HookUnit } from '../units/hook-unit.ts';
import type { LoopWarnings } from '../units/loop-warnings.ts';

export interface UnitJournalOptions {
  /** Also when the hook was changed or removed meanwhile. */
  readonly unitFor: (hook: Hook) => HookUnit | undefined;
  readonly loops: LoopWarnings;
}

/** Has the units take note of what their runs wrote, and warns of hooks that run in a loop with themselves. */
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
