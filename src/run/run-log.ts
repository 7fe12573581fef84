import { HookFailedError } from '../errors.ts';
import type { AppliedOperation } from '../effects/apply-operations.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { LogFields, Logger } from '../log.ts';
import type { OutputLog } from '../runner/output-log.ts';
import { durationText } from '../lib/duration-text.ts';
import { answerFields, unansweredText } from './answer-log.ts';
import type { RunEvent, RunJournal, RunWarning } from './journal.ts';
import type { Next } from './policy.ts';
import { compatFields, logCompatEnd, STARTED, type End } from './compat-log.ts';
import type { FailedRun, LaterRun, Run } from './run.ts';
import { bindingOf, reasonOf } from './run-reason.ts';

/** Of a task's failures by the environment, one in this many attempts is logged: about one a minute. */
const LOGGED_EACH = 30;

export interface RunLogOptions {
  readonly log: Logger;
  readonly outputLog: OutputLog;
  /** Whether runs are logged with the fields and messages of shell-operator, where it has any. */
  readonly logCompat?: boolean;
}

/** Logs what hooks print, what was applied, and how runs end. */
export function runLog({ log, outputLog, logCompat: isCompat = false }: RunLogOptions): RunJournal {
  const fieldsOf = remembered(isCompat ? compatFields : plainFields);
  const voice: Voice = { log, fieldsOf, isCompat };
  return {
    record(event: RunEvent): void {
      switch (event.type) {
        case 'queued':
        case 'dropped':
        case 'seen':
        case 'executed':
          return;
        case 'started':
          logStart(voice, event.run);
          return;
        case 'output':
          outputLog.output(fieldsOf(event.run), event.output);
          return;
        case 'applied':
          logApplied(log, event.run, event.applied);
          return;
        case 'warned':
          logWarning(voice, event.run, event.warning);
          return;
        case 'ended':
          logEnds(voice, event);
          return;
        default:
          unreachable(event);
      }
    },
  };
}

/** How runs are logged. */
interface Voice {
  readonly log: Logger;
  /** The fields that say which run a line is about. */
  readonly fieldsOf: (run: Run) => LogFields;
  readonly isCompat: boolean;
}

/** Has the same object for all lines of a run. */
function remembered(fieldsOf: (run: Run) => LogFields): (run: Run) => LogFields {
  const known = new WeakMap<Run, LogFields>();
  return (run) => {
    const fields = known.get(run) ?? fieldsOf(run);
    known.set(run, fields);
    return fields;
  };
}

function plainFields({ id, task, queue: name }: Run): LogFields {
  const binding = bindingOf(task);
  const queue = name === '' ? {} : { queue: name };
  const where = { hook: task.hook.name, ...(binding !== '' && { binding }), ...queue };
  return { ...where, event: reasonOf(task), run: id };
}

function logStart({ log, fieldsOf, isCompat }: Voice, run: Run): void {
  if (isCompat) log.info(fieldsOf(run), STARTED);
}

function logApplied(log: Logger, run: Run, { operation, target, change }: AppliedOperation): void {
  const fields = { hook: run.task.hook.name, run: run.id, operation, object: target, change };
  if (change === 'unchanged' || change === 'absent') log.debug(fields, 'patch applied');
  else log.info(fields, 'patch applied');
}

function logWarning({ log, fieldsOf }: Voice, run: Run, warning: RunWarning): void {
  const fields = fieldsOf(run);
  switch (warning.type) {
    case 'likelyMistake':
      log.warn({ ...fields, warning: warning.message }, 'hook output has a likely mistake');
      return;
    case 'notApplied':
      log.warn({ ...fields, err: warning.error }, `${warning.what} of the failed run could not be applied`);
      return;
    case 'notReported':
      log.warn({ ...fields, err: warning.error }, 'conditions and Events of the run could not be written');
      return;
    default:
      unreachable(warning);
  }
}

function logEnds(voice: Voice, { run, outcome, next, parts }: Extract<RunEvent, { readonly type: 'ended' }>): void {
  logEnd(voice, { run, outcome, next });
  const own = parts.filter((part) => part.outcome !== outcome && part.outcome.type !== 'succeeded');
  for (const { task, ...part } of own) logEnd(voice, { ...part, run: { ...run, task } });
}

function logEnd(voice: Voice, end: End): void {
  if (isRepetition(end)) return;
  const isLogged = voice.isCompat && logCompatEnd(voice.log, voice.fieldsOf(end.run), end);
  if (!isLogged) logOwnEnd(voice, end);
}

function logOwnEnd(voice: Voice, { run, outcome, next }: End): void {
  const { log } = voice;
  const fields = voice.fieldsOf(run);
  switch (outcome.type) {
    case 'succeeded': {
      const { cost, applied } = outcome;
      const patches = applied.length === 0 ? {} : { patches: applied.length };
      const durationMs = Math.round(cost.durationMs);
      log.info({ ...fields, ...answerFields({ run, outcome, next }), durationMs, ...patches }, 'hook finished');
      return;
    }
    case 'later':
      logLater(voice, { run, outcome, next }, outcome);
      return;
    case 'replaced':
      log.info({ ...fields, attempt: run.attempt }, 'hook was ended for a newer run of its schedule');
      return;
    case 'interrupted':
      if (outcome.by === 'shutdown')
        log.warn({ ...fields, err: outcome.error }, 'hook failed while shutting down, it is not run again');
      else if (outcome.by === 'moved')
        log.info({ ...fields, err: outcome.error }, 'hook was ended, its objects move to another replica');
      return;
    case 'failed':
      logFailure(voice, { run, outcome, next }, outcome);
      return;
    default:
      unreachable(outcome);
  }
}

/** Whether the environment fails the task again and again, which is logged only now and then, or holds its lock. */
function isRepetition({ run, outcome, next }: End): boolean {
  // It waits for the same lock as before, which was logged when it began to.
  if (outcome.type === 'later' && outcome.lockedOut !== undefined) {
    return outcome.lockedOut.lock === run.task.lockedOut;
  }
  const isByEnvironment = outcome.type === 'failed' && outcome.by === 'environment';
  return isByEnvironment && next.type === 'retry' && run.attempt % LOGGED_EACH !== 1;
}

function logLater({ log, fieldsOf }: Voice, end: End, outcome: LaterRun): void {
  const { run, next } = end;
  const fields = { ...fieldsOf(run), attempt: run.attempt, ...saidBy(outcome), ...againIn(next) };
  if (next.type !== 'answer') log.info(fields, 'hook is to be run again later');
  else log.warn({ ...fields, ...answerFields(end) }, `hook cannot do its work yet, and ${unansweredText(end)}`);
}

function logFailure({ log, fieldsOf }: Voice, end: End, outcome: FailedRun): void {
  const { run, next } = end;
  const { error } = outcome;
  const failed = { ...fieldsOf(run), attempt: run.attempt, ...exitCodeOf(error), ...saidBy(outcome), err: error };
  if (next.type === 'answer') {
    log.error({ ...failed, ...answerFields(end) }, `hook failed, and ${unansweredText(end)}`);
  } else if (next.type === 'dead') {
    log.error(failed, `hook failed and is not run again: ${GIVEN_UP[next.why]}`);
  } else if (next.type === 'drop' && next.why === 'exhausted') {
    log.error(failed, `hook failed and is not run again: ${GIVEN_UP.exhausted}`);
  } else if (next.type !== 'retry') {
    log.warn(failed, 'hook failed, which its binding allows');
  } else {
    const again = `again in ${durationText(next.delayMs)} (attempt ${run.attempt + 1})`;
    log.error({ ...failed, again }, 'hook failed, it is run again after a delay');
  }
}

function againIn(next: Next): { readonly again?: string } {
  return next.type === 'retry' ? { again: `again in ${durationText(next.delayMs)}` } : {};
}

/** The reason and the message that the hook gave in its result. */
function saidBy({ result }: FailedRun | LaterRun): { readonly reason?: string; readonly message?: string } {
  const { reason, message } = result ?? {};
  return { ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) };
}

const GIVEN_UP = {
  permanent: 'it says that another attempt is useless',
  exhausted: 'its retry rule allows no further attempt',
} as const;

function exitCodeOf(error: Error): { readonly exitCode?: number } {
  const exitCode = error instanceof HookFailedError ? error.ending?.exitCode : undefined;
  return exitCode === undefined ? {} : { exitCode };
}
