import { goDuration } from '../../lib/duration.ts';
import type { Execution, FailedExecution } from '../executor.ts';
import { failedRun } from '../failed-run.ts';
import { overtimeText } from '../failure.ts';
import { cutOff, executionOfResult, NO_EXIT, notRun } from '../remote-result.ts';
import type { JobFacts } from './job-facts.ts';
import { executionOfFiles, exitOf, memoryText } from './job-result.ts';
import type { JobEnd } from './next-step.ts';
import type { PodExit } from './pod-state.ts';

/** The run whose end is told. */
export interface EndedRun {
  readonly facts: JobFacts;
  readonly namespace: string;
  readonly job: string;
}

/** The end of the run of a Job as the result of an executor. */
export function executionOf(run: EndedRun, end: JobEnd): Execution {
  const { facts } = run;
  if (isLoss(end))
    return failedRun(facts.hook, NO_EXIT, { reason: lossText(run, end), by: 'environment', isCutOff: true });
  switch (end.type) {
    case 'result':
      return executionOfResult(facts.hook, end.result);
    case 'files':
      return executionOfFiles(facts, end.result, end.exit);
    case 'silent':
      return ofSilence(run, end.exit);
    case 'overtime':
      return cutOff(facts.hook, overtimeText(facts.timeoutMs), { ...NO_EXIT, timedOut: true });
    case 'stopped':
      return cutOff(facts.hook, end.why, { ...NO_EXIT, signal: 'SIGTERM' });
    case 'notStarted':
      return notRun(facts.hook, notStartedText(run, end));
  }
}

function notStartedText({ facts, job }: EndedRun, end: Extract<JobEnd, { type: 'notStarted' }>): string {
  const what = end.hasAsked === true ? 'start its hook' : 'ask for its run';
  const late = `did not ${what} within ${goDuration(facts.startTimeoutMs)} (settings.executor.job.startTimeout)`;
  return `the Pod of its Job ${job} ${end.isLate ? late : 'ended before it asked for its run'}: ${end.reason ?? ''}`;
}

/** Ends of which the hook is not at fault. */
type Loss = Extract<JobEnd, { type: 'disrupted' | 'gone' | 'deleted' | 'left' }>;

function isLoss(end: JobEnd): end is Loss {
  return ['disrupted', 'gone', 'deleted', 'left'].includes(end.type);
}

function lossText({ namespace, job }: EndedRun, end: Loss): string {
  switch (end.type) {
    case 'disrupted':
      return `the cluster ended the Pod of its Job ${job} before it sent a result: ${end.why}`;
    case 'gone':
      return `the Pod of its Job ${job} is gone without a result: it was removed by force, or its node is lost`;
    case 'deleted':
      return `its Job ${job} was deleted before it had a result: by somebody with kubectl, by a cleaner of the namespace ${namespace}, or with the owner of the Job`;
    case 'left':
      return `the operator is stopping: its Job ${job} runs on, and the next leader takes it over`;
  }
}

/** A Pod that ended before its result was sent; with the exit code 0 too, since nothing is known of what it wrote. */
function ofSilence({ facts, job }: EndedRun, exit: PodExit): FailedExecution {
  const outOfMemory = memoryText(exit);
  const isByHook = outOfMemory !== undefined || (exit.exitCode !== undefined && exit.exitCode !== 0);
  const cost = exit.durationMs === undefined ? {} : { cost: { durationMs: exit.durationMs, usage: {} } };
  const reason = outOfMemory ?? `the Pod of its Job ${job} ended and sent no result${saidBy(exit)}`;
  const by = isByHook ? 'hook' : 'environment';
  return failedRun(facts.hook, exitOf(exit), { reason, by, isCutOff: true, ...cost });
}

function saidBy({ exitCode, reason, message }: PodExit): string {
  const code = exitCode === undefined ? '' : `exit code ${exitCode}`;
  const said = [code, reason, message].filter((part) => part !== '');
  return said.length === 0 ? '' : `: ${said.join(', ')}`;
}
