import { HookFailedError } from '../errors.ts';
import type { ContextResult, HookResult, ResultOutcome } from '../hook/result.ts';
import type { Execution } from '../runner/executor.ts';

/** What the exit code and the result of a run say together: the worse of both. */
export function saidOutcome(execution: Execution, result: HookResult | undefined): ResultOutcome {
  return worse(byExitCode(execution), result?.outcome ?? 'done');
}

const FROM_BEST: readonly ResultOutcome[] = ['done', 'later', 'failed', 'permanent'];

function worse(one: ResultOutcome, other: ResultOutcome): ResultOutcome {
  return FROM_BEST.indexOf(other) > FROM_BEST.indexOf(one) ? other : one;
}

function byExitCode(execution: Execution): ResultOutcome {
  if (execution.type === 'exited') return execution.isLater === true ? 'later' : 'done';
  return execution.isPermanent === true ? 'permanent' : 'failed';
}

/** The error of a run that exited well, and said in its result that it failed. */
export function failureBySaying(hook: string, outcome: ResultOutcome, result: HookResult | undefined): HookFailedError {
  const { reason, message } = result ?? {};
  const why = [reason, message].filter((text) => text !== undefined && text !== '').join(': ');
  const text = `hook ${hook} failed: it says ${outcome} in RESULT_PATH${why === '' ? '' : `, ${why}`}`;
  return new HookFailedError(text, { ending: { timedOut: false } });
}

/** What counts of the result of a run that was ended before it could end itself: not what it says of its outcome. */
export function withoutOutcome({ contexts, output, ...whole }: HookResult): HookResult {
  const parts = new Map([...contexts].map(([index, part]) => [index, shownOnly(part)]));
  return { ...shownOnly(whole), contexts: parts, ...(output !== undefined && { output }) };
}

function shownOnly({ conditions, status, events }: ContextResult): ContextResult {
  return { conditions, events, ...(status !== undefined && { status }) };
}

/** Whether the result has something to be written to objects: conditions, fields of a status, Events, or a refusal. */
export function isShown({ contexts, ...whole }: HookResult): boolean {
  return [whole, ...contexts.values()].some(
    ({ conditions, status, events, refused }) =>
      conditions.length > 0 || status !== undefined || events.length > 0 || refused !== undefined,
  );
}
