import type { LogFields, Logger } from '../log.ts';
import type { Next } from './policy.ts';
import { bindingOf } from './run-reason.ts';
import type { Run, RunOutcome } from './run.ts';

/** The message with which shell-operator begins a run. */
export const STARTED = 'Execute hook';

/** The fields of shell-operator that say which run a line is about, and the id of the run. */
export function compatFields({ id, task, queue }: Run): LogFields {
  const [trigger] = task.triggers;
  return {
    hook: task.hook.name,
    binding: bindingOf(task),
    event: trigger.binding.type,
    queue: trigger.type === 'onStartup' ? '' : queue,
    task: 'HookRun',
    run: id,
  };
}

/** How a run ended. */
export interface End {
  readonly run: Run;
  readonly outcome: RunOutcome;
  readonly next: Next;
}

/** Logs the end of a run with the message of shell-operator; returns false where shell-operator has none. */
export function logCompatEnd(log: Logger, fields: LogFields, { run, outcome, next }: End): boolean {
  if (outcome.type === 'succeeded') {
    log.info({ ...fields, durationMs: Math.round(outcome.cost.durationMs) }, 'Hook executed successfully');
    return true;
  }
  if (outcome.type !== 'failed') return false;
  const { error: err } = outcome;
  if (next.type === 'drop' && next.why === 'allowed') {
    log.info({ ...fields, err }, 'Hook failed, but allowed to fail');
    return true;
  }
  // Of a run that answers a request too, though nothing is run again.
  if (next.type !== 'retry' && next.type !== 'answer') return false;
  log.error({ ...fields, failedCount: run.attempt, err }, 'Hook failed. Will retry after delay.');
  return true;
}
