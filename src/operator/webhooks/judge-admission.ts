import { readAdmission, type AdmissionResponse, type AdmissionScope } from '../../effects/read-admission.ts';
import { HookOutputError, summaryOf } from '../../errors.ts';
import type { AskTrigger } from '../../hook/trigger.ts';
import { shownText } from '../../lib/shown.ts';
import type { Logger } from '../../log.ts';
import { isLost, withRunId } from '../../run/answer-of.ts';
import type { Ask, AskOutcome } from '../../run/asked-runs.ts';
import type { Verdict } from '../../sources/admission/admission-endpoint.ts';

export interface JudgeOptions {
  /** Returns the function that runs the hook; rejects when it is not ready before `signal` aborts. */
  readonly ready: (signal: AbortSignal) => Promise<Ask>;
  /** Whether the hook is a module, which answers by calling functions. */
  readonly isModule?: boolean;
  readonly log: Logger;
}

/** Asks the hook of a webhook, and reads its response; never rejects. */
export async function judgeAdmission(
  trigger: AskTrigger,
  object: () => unknown,
  { ready, isModule = false, log, signal }: JudgeOptions & { readonly signal: AbortSignal },
): Promise<Verdict> {
  let ask: Ask;
  try {
    ask = await ready(signal);
  } catch {
    return { type: 'refused', status: 503, reason: 'it is not loaded, or its snapshots are not complete yet' };
  }
  const isMutating = trigger.binding.type === 'kubernetesMutating';
  let reading: Reading | undefined;
  const check: AskTrigger['check'] = ({ admission }) => {
    reading = readResponse(admission, { isMutating, object, isModule });
    if (reading.type === 'unreadable') throw reading.error;
    const { allowed, message } = reading.response;
    return { allowed, message };
  };
  const outcome = await ask({ ...trigger, check }, signal);
  const verdict = verdictOf(outcome, reading);
  if (verdict.type !== 'answered') return verdict;
  for (const warning of verdict.mistakes) {
    log.warn({ binding: trigger.binding.name, warning }, 'hook output has a likely mistake');
  }
  return verdict;
}

/** What a hook wrote as its response. */
type Reading =
  | { readonly type: 'response'; readonly response: AdmissionResponse }
  | { readonly type: 'unreadable'; readonly error: HookOutputError; readonly status: 403 | 500 };

type Answered = Extract<Verdict, { readonly type: 'answered' }> & Pick<AdmissionResponse, 'mistakes'>;

type Judged = Answered | Exclude<Verdict, { readonly type: 'answered' }>;

function verdictOf(outcome: AskOutcome, reading: Reading | undefined): Judged {
  switch (outcome.type) {
    case 'succeeded':
    case 'failed':
      return ofEnded(outcome, reading);
    case 'refused':
      return { type: 'refused', status: 429, reason: outcome.reason };
    case 'later':
      return failed(withRunId('it says that its work cannot be done yet, and a request cannot wait', outcome));
    case 'replaced':
      return failed('its run was ended');
    case 'interrupted':
      return { type: 'refused', status: 503, reason: outcome.error.message };
  }
}

function ofEnded(outcome: Extract<AskOutcome, { type: 'succeeded' | 'failed' }>, reading: Reading | undefined): Judged {
  if (reading?.type === 'unreadable') {
    const { brief, message } = reading.error;
    return { ...reading, type: 'failed', reason: withRunId(shownText(brief ?? message), outcome) };
  }
  if (outcome.type === 'failed') {
    const reason = withRunId(summaryOf(outcome.error), outcome);
    return isLost(outcome) ? { type: 'refused', status: 503, reason } : failed(reason);
  }
  return reading === undefined ? failed('its response was not read') : { type: 'answered', ...reading.response };
}

/** With the code that shell-operator answers. */
function failed(reason: string): Verdict & { readonly type: 'failed' } {
  return { type: 'failed', status: 403, reason };
}

const UNDECIDED = 'its run ended without answer.allow() or answer.deny(); is something not awaited?';

function readResponse(text: string, { isModule, ...scope }: AdmissionScope & { readonly isModule: boolean }): Reading {
  const isEmpty = text.trim() === '';
  // As in shell-operator: the hook did not fail, it gave no answer.
  const status = isEmpty ? 500 : 403;
  if (isEmpty && isModule) return { type: 'unreadable', error: new HookOutputError(UNDECIDED), status };
  try {
    return { type: 'response', response: readAdmission(text, scope) };
  } catch (error) {
    if (error instanceof HookOutputError) return { type: 'unreadable', error, status };
    if (!(error instanceof RangeError)) throw error;
    const tooDeep = new HookOutputError('its response is nested too deeply', { cause: error });
    return { type: 'unreadable', error: tooDeep, status };
  }
}
