import { HookFailedError } from '../errors.ts';
import type { AskVerdict } from '../hook/trigger.ts';
import type { AskOutcome } from './asked-runs.ts';
import type { Next } from './policy.ts';
import type { Run, RunOutcome } from './run.ts';

/**
 * What the caller of an admission request was told by this run; undefined where it was told nothing, or to ask again,
 * and for any other run.
 */
export function answerOf(run: Run, outcome: RunOutcome, next: Next): AskVerdict | undefined {
  const [trigger] = run.task.triggers;
  const isAdmission = trigger.type === 'ask' && trigger.about !== undefined;
  return isAdmission && !isLate(next) ? toldOf(outcome) : undefined;
}

/** Whether the caller did not wait any longer. */
export function isLate(next: Next): boolean {
  return next.type === 'answer' && next.isLate === true;
}

function toldOf(outcome: RunOutcome): AskVerdict | undefined {
  switch (outcome.type) {
    case 'succeeded':
      return outcome.verdict;
    case 'failed':
      return isLost(outcome) ? undefined : DENIED;
    case 'later':
    case 'replaced':
      return DENIED;
    case 'interrupted':
      return undefined;
  }
}

const DENIED: AskVerdict = { allowed: false, message: '' };

/** Whether the hook lost its process or its files through no fault of its own: asked again, it may answer. */
export function isLost(outcome: AskOutcome): boolean {
  return outcome.type === 'failed' && outcome.by === 'environment' && outcome.error instanceof HookFailedError;
}

/** A text for the caller of a run that failed, with the id by which those who run hooklet find it. */
export function withRunId(text: string, outcome: AskOutcome): string {
  return 'runId' in outcome && outcome.runId !== undefined ? `${text} (run ${outcome.runId})` : text;
}
