import type { Hook } from '../hook/binding.ts';
import type { RunJournal } from '../run/journal.ts';
import type { Next } from '../run/policy.ts';
import type { EndedOutcome } from '../sources/schedule/record.ts';
import type { HookUnit } from './hook-unit.ts';
import type { LoopWarnings } from './loop-warnings.ts';

export interface UnitJournalOptions {
  /** Also when the hook was changed or removed meanwhile. */
  readonly unitFor: (hook: Hook) => HookUnit | undefined;
  readonly loops: LoopWarnings;
}

/** Keeps the units up to date: what became of the ticks of their schedules, and what their runs wrote. */
export function unitJournal({ unitFor, loops }: UnitJournalOptions): RunJournal {
  return {
    record(event) {
      if (event.type === 'applied') {
        const { task } = event.run;
        const loop = unitFor(task.hook)?.wrote(task, event.operation, event.applied);
        if (loop !== undefined) loops.record(task.hook.name, loop);
      } else if (event.type === 'ended') {
        const { task } = event.run;
        const outcome = tickOutcomeOf(event.next);
        if (outcome !== undefined) unitFor(task.hook)?.settleTicks(task, outcome);
      } else if (event.type === 'dropped' && event.why === 'replaced') {
        unitFor(event.task.hook)?.settleTicks(event.task, 'replaced');
      }
    },
  };
}

/** Undefined where nothing is known yet: the next operator sees to it. */
function tickOutcomeOf(next: Next): EndedOutcome | 'retry' | undefined {
  switch (next.type) {
    case 'done':
      return 'succeeded';
    case 'retry':
      return 'retry';
    case 'keep':
    case 'answer':
      return undefined;
    case 'drop':
      return DROPPED[next.why];
  }
}

const DROPPED = { allowed: 'failed', replaced: 'replaced', gone: 'retry' } as const;
