import type { Task } from '../hook/task.ts';
import type { ScheduleTrigger } from '../hook/trigger.ts';
import type { RunJournal } from '../run/journal.ts';
import type { Next } from '../run/policy.ts';
import type { EndedOutcome } from '../sources/schedule/record.ts';
import type { ScheduledRuns } from '../sources/schedule/scheduled-runs.ts';

/** Updates the records of schedules when an attempt at a tick begins and when it ends. */
export function scheduleJournal(runs: Pick<ScheduledRuns, 'begin' | 'retry' | 'end'>): RunJournal {
  const settle = (task: Task, outcome: EndedOutcome | 'retry' | undefined): void => {
    const ticks = ticksOf(task);
    if (outcome === 'retry') runs.retry(ticks);
    else if (outcome !== undefined) runs.end(ticks, outcome);
  };
  return {
    record(event) {
      if (event.type === 'started') runs.begin(ticksOf(event.run.task));
      else if (event.type === 'ended') for (const { task, next } of event.parts) settle(task, outcomeOf(next));
      else if (event.type === 'dropped' && event.why === 'replaced') settle(event.task, 'replaced');
    },
  };
}

/** Undefined where the operator stops before the end of a run: the next operator takes it over. */
function outcomeOf(next: Next): EndedOutcome | 'retry' | undefined {
  switch (next.type) {
    case 'done':
      return 'succeeded';
    case 'retry':
      return 'retry';
    case 'dead':
      return 'failed';
    case 'keep':
    case 'answer':
      return undefined;
    case 'drop':
      return DROPPED[next.why];
  }
}

const DROPPED = { allowed: 'failed', exhausted: 'failed', replaced: 'replaced', gone: 'retry' } as const;

function ticksOf({ triggers }: Task): readonly ScheduleTrigger[] {
  return triggers.filter((trigger) => trigger.type === 'schedule');
}
