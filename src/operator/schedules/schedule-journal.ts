import type { Task } from '../../hook/task.ts';
import type { ScheduleTrigger } from '../../hook/trigger.ts';
import type { EndedPart, RunJournal } from '../../run/journal.ts';
import type { Next } from '../../run/policy.ts';
import type { RunOutcome } from '../../run/run.ts';
import type { RetryCause } from '../../sources/schedule/binding-runs.ts';
import type { EndedOutcome } from '../../sources/schedule/record.ts';
import type { ScheduledRuns } from '../../sources/schedule/scheduled-runs.ts';

/** Updates the records of schedules when an attempt at a tick begins and when it ends. */
export function scheduleJournal(runs: Pick<ScheduledRuns, 'begin' | 'retry' | 'end'>): RunJournal {
  const settle = ({ task, outcome, next }: EndedPart): void => {
    const ticks = ticksOf(task);
    const ended = outcomeOf(next);
    if (ended === 'retry') runs.retry(ticks, causeOf(outcome));
    else if (ended !== undefined) runs.end(ticks, ended);
  };
  return {
    record(event) {
      if (event.type === 'started') runs.begin(ticksOf(event.run.task));
      else if (event.type === 'ended') for (const part of event.parts) settle(part);
      else if (event.type === 'dropped' && event.why === 'replaced') runs.end(ticksOf(event.task), 'replaced');
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

function causeOf(outcome: RunOutcome): RetryCause {
  if (outcome.type === 'later') return 'later';
  if (outcome.type !== 'failed') return 'gone';
  return outcome.by === 'environment' ? 'environment' : 'failed';
}

const DROPPED = {
  allowed: 'failed',
  exhausted: 'failed',
  replaced: 'replaced',
  gone: 'retry',
  moved: 'retry',
} as const;

function ticksOf({ triggers }: Task): readonly ScheduleTrigger[] {
  return triggers.filter((trigger) => trigger.type === 'schedule');
}
