import type { LogFields } from '../log.ts';
import { printableLine } from '../lib/printable.ts';
import { shownText } from '../lib/shown.ts';
import { answerOf, isLate, isLost } from './answer-of.ts';
import type { End } from './compat-log.ts';

const MAX_MESSAGE = 500;

/** The fields that say who sent a request, and what became of it; none for a run that answers no admission request. */
export function answerFields({ run, outcome, next }: End): LogFields {
  const [trigger] = run.task.triggers;
  if (trigger.type !== 'ask' || trigger.about === undefined) return {};
  const { user } = trigger.about;
  const verdict = answerOf(run, outcome, next);
  if (verdict === undefined) return { user };
  const message = shownText(printableLine(verdict.message), MAX_MESSAGE);
  return { user, verdict: verdict.allowed ? 'allowed' : 'denied', ...(message !== '' && { message }) };
}

/** What became of the request of a run that failed, or whose work cannot be done yet. */
export function unansweredText({ run, outcome, next }: End): string {
  const [trigger] = run.task.triggers;
  if (isLate(next)) return 'its caller does not wait any longer';
  if (isLost(outcome)) return 'its caller may ask again';
  const isConversion = trigger.type === 'ask' && trigger.binding.type === 'kubernetesCustomResourceConversion';
  return isConversion ? 'nothing is converted' : 'the request is denied';
}
