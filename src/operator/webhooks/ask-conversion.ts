import { HookOutputError, summaryOf } from '../../errors.ts';
import type { AskTrigger } from '../../hook/trigger.ts';
import { isLost, withRunId } from '../../run/answer-of.ts';
import type { Ask, AskOutcome } from '../../run/asked-runs.ts';
import { readConversionResponse, type ConversionResponse } from '../../sources/conversion/response.ts';
import type { AskedConversion } from '../../sources/conversion/convert.ts';

/**
 * Asks a hook for one step of a conversion; never rejects. `ready` returns the function that runs the hook, and rejects
 * when it is not ready before `signal` aborts.
 */
export async function askConversion(
  ready: (signal: AbortSignal) => Promise<Ask>,
  trigger: AskTrigger,
  signal: AbortSignal,
): Promise<AskedConversion> {
  let ask: Ask;
  try {
    ask = await ready(signal);
  } catch {
    return {
      type: 'refused',
      status: 503,
      message: 'it is not loaded, or the snapshots that it asked for are not complete yet',
    };
  }
  let response: ConversionResponse | undefined;
  let unreadable: unknown;
  const check: AskTrigger['check'] = ({ conversion }) => {
    try {
      response = readConversionResponse(conversion);
      return undefined;
    } catch (error) {
      unreadable = error;
      throw error;
    }
  };
  const outcome = await ask({ ...trigger, check }, signal);
  if (unreadable instanceof HookOutputError) {
    return { type: 'failed', message: withRunId(unreadable.brief ?? unreadable.message, outcome) };
  }
  return answerOf(outcome, response);
}

function answerOf(outcome: AskOutcome, response: ConversionResponse | undefined): AskedConversion {
  switch (outcome.type) {
    case 'succeeded':
      return response === undefined
        ? { type: 'failed', message: 'its response was not read' }
        : { type: 'answered', response };
    case 'refused':
      return { type: 'refused', status: 429, message: outcome.reason };
    case 'later':
      return { type: 'failed', message: 'it says that its work cannot be done yet, and a request cannot wait' };
    case 'failed': {
      const message = withRunId(summaryOf(outcome.error), outcome);
      return isLost(outcome) ? { type: 'refused', status: 503, message } : { type: 'failed', message };
    }
    case 'replaced':
      return { type: 'failed', message: 'its run was ended' };
    case 'interrupted':
      return { type: 'refused', status: 503, message: outcome.error.message };
  }
}
