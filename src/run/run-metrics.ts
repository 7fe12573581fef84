import type { Metrics } from '../metrics.ts';
import type { RunCost } from '../runner/executor.ts';
import type { RunJournal } from './journal.ts';
import type { Next } from './policy.ts';
import type { Run, RunOutcome } from './run.ts';
import { bindingOf } from './run-reason.ts';

interface RunLabels {
  readonly hook: string;
  readonly binding: string;
  readonly queue: string;
}

/** Measures how long runs wait, what they cost, and how many fail. */
export function runMetrics(metrics: Metrics): RunJournal {
  return {
    record(event): void {
      if (event.type === 'started') {
        const labels = labelsOf(event.run);
        metrics.taskWaitSeconds.inc(labels, event.waitedMs / 1000);
        metrics.taskWaitDuration.observe(labels, event.waitedMs / 1000);
      } else if (event.type === 'executed') {
        observeCost(metrics, labelsOf(event.run), event.cost);
      } else if (event.type === 'ended') {
        countEnd(metrics, labelsOf(event.run), event.outcome, event.next);
      }
    },
  };
}

/** Runs of onStartup have neither a binding nor a queue, as in shell-operator. */
function labelsOf({ task, queue }: Run): RunLabels {
  const isStartup = task.triggers[0].type === 'onStartup';
  return { hook: task.hook.name, binding: bindingOf(task), queue: isStartup ? '' : queue };
}

function observeCost(metrics: Metrics, labels: RunLabels, { durationMs, usage }: RunCost): void {
  const { userCpuMs, systemCpuMs, maxRssBytes } = usage;
  metrics.hookRunSeconds.observe(labels, durationMs / 1000);
  if (userCpuMs !== undefined) metrics.hookRunUserCpuSeconds.observe(labels, userCpuMs / 1000);
  if (systemCpuMs !== undefined) metrics.hookRunSysCpuSeconds.observe(labels, systemCpuMs / 1000);
  if (maxRssBytes !== undefined) metrics.hookRunMaxRssBytes.set(labels, maxRssBytes);
}

function countEnd(metrics: Metrics, labels: RunLabels, outcome: RunOutcome, next: Next): void {
  if (outcome.type === 'succeeded') metrics.hookRunSuccess.inc(labels);
  else if (next.type === 'drop' && next.why === 'allowed') metrics.hookRunAllowedErrors.inc(labels);
  else if (outcome.type === 'failed') metrics.hookRunErrors.inc(labels);
}
