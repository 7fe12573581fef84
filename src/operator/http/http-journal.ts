import type { Task } from '../../hook/task.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { EndedPart, RunJournal } from '../../run/journal.ts';
import { saidOf } from '../../run/letter-of.ts';
import { GONE, STOPPED, type OpenRequests, type RequestEnd } from '../../sources/http/open-requests.ts';

/** Ends the requests of `http` bindings when their triggers are not run again. */
export function httpJournal(open: Pick<OpenRequests, 'begin' | 'again' | 'end'>): RunJournal {
  const settle = (part: EndedPart): void => {
    const end = endOf(part);
    for (const runId of runIdsOf(part.task)) {
      if (end === undefined) open.again(runId, messageOf(part));
      else open.end(runId, end);
    }
  };
  return {
    record(event) {
      if (event.type === 'started') for (const runId of runIdsOf(event.run.task)) open.begin(runId);
      else if (event.type === 'ended') for (const part of event.parts) settle(part);
      else if (event.type === 'dropped') for (const runId of runIdsOf(event.task)) open.end(runId, GONE);
    },
  };
}

const MAX_MESSAGE = 512;

/** Undefined for what is run again. */
function endOf({ outcome, next }: EndedPart): RequestEnd | undefined {
  const failed = (): RequestEnd => ({ outcome: 'failed', message: messageOf({ outcome }) });
  switch (next.type) {
    case 'done':
      return { outcome: 'succeeded', ...resultMessage(outcome) };
    case 'retry':
      return undefined;
    case 'drop':
      return next.why === 'allowed' || next.why === 'exhausted' ? failed() : GONE;
    case 'dead':
      return failed();
    case 'keep':
      return STOPPED;
    case 'answer':
      return undefined;
    default:
      return unreachable(next);
  }
}

function messageOf({ outcome }: Pick<EndedPart, 'outcome'>): string {
  return saidOf(outcome).message.slice(0, MAX_MESSAGE);
}

function resultMessage(outcome: EndedPart['outcome']): Pick<RequestEnd, 'message'> {
  const message = 'result' in outcome ? outcome.result?.message : undefined;
  return message === undefined ? {} : { message: message.slice(0, MAX_MESSAGE) };
}

function runIdsOf({ triggers }: Task): readonly string[] {
  return triggers.flatMap((trigger) => (trigger.type === 'http' ? trigger.runId : []));
}
