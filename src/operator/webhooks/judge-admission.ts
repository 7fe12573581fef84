import { readAdmission } from '../../effects/read-admission.ts';
import { HookOutputError, summaryOf } from '../../errors.ts';
import type { AskTrigger } from '../../hook/trigger.ts';
import { shownText } from '../../lib/shown.ts';
import type { Logger } from '../../log.ts';
import type { Ask, AskOutcome } from '../../run/asked-runs.ts';
import type { Verdict } from '../../sources/admission/admission-endpoint.ts';

export interface JudgeOptions {
  /** Returns the function that runs the hook; rejects when it is not ready before `signal` aborts. */
  readonly ready: (signal: AbortSignal) => Promise<Ask>;
  readonly log: Logger;
}

/** Asks the hook of a webhook, and reads its response; never rejects. */
export async function judgeAdmission(
  trigger: AskTrigger,
  object: () => unknown,
  { ready, log, signal }: JudgeOptions & { readonly signal: AbortSignal },
): Promise<Verdict> {
  let ask: Ask;
  try {
    ask = await ready(signal);
  } catch {
    return { type: 'refused', status: 503, reason: 'it is not loaded, or its snapshots are not complete yet' };
  }
  return verdictOf(await ask(trigger, signal), trigger, { object, log });
}

interface Reading {
  readonly object: () => unknown;
  readonly log: Logger;
}

function verdictOf(outcome: AskOutcome, trigger: AskTrigger, reading: Reading): Verdict {
  switch (outcome.type) {
    case 'succeeded':
      return readResponse(outcome.response?.admission ?? '', trigger, reading);
    case 'refused':
      return { type: 'refused', status: 429, reason: outcome.reason };
    case 'later':
      return { type: 'failed', reason: 'it says that its work cannot be done yet, and a request cannot wait' };
    case 'failed':
      return { type: 'failed', reason: summaryOf(outcome.error) };
    case 'replaced':
      return { type: 'failed', reason: 'its run was ended' };
    case 'interrupted':
      return { type: 'refused', status: 503, reason: outcome.error.message };
  }
}

function readResponse(text: string, { binding }: AskTrigger, { object, log }: Reading): Verdict {
  try {
    const isMutating = binding.type === 'kubernetesMutating';
    const { mistakes, ...response } = readAdmission(text, { isMutating, object });
    for (const warning of mistakes) log.warn({ binding: binding.name, warning }, 'hook output has a likely mistake');
    return { type: 'answered', ...response };
  } catch (error) {
    log.warn({ binding: binding.name, err: error }, 'the response of the hook is invalid, the request is denied');
    return { type: 'failed', reason: reasonOf(error) };
  }
}

/** Of our own parser, which shows values only shortened. */
function reasonOf(error: unknown): string {
  if (error instanceof HookOutputError) return shownText(error.message);
  return error instanceof RangeError ? 'its response is nested too deeply' : summaryOf(error);
}
