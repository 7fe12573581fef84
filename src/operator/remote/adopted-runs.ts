import { failureOf, type Effects } from '../../run/attempt.ts';
import type { AdoptedRun } from '../../runner/job/job-orphans.ts';
import type { Execution } from '../../runner/executor.ts';
import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { messageOf } from '../../lib/message-of.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';

export interface AdoptedRunsOptions {
  readonly effects: Pick<Effects, 'parse' | 'apply' | 'applyMetrics'>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly log: Logger;
}

const BACKOFF = { initialMs: 1000, maxMs: 30_000, jitter: 0.2 };

/**
 * Applies what a run of an earlier leader asked for, whose task nobody has any more: its patches and metrics. Conditions
 * and what a `reconcile` hook says should be there are left out, as its object is looked at anew. An API server that does
 * not answer is waited for until `signal` aborts; then the run is left to the next leader.
 */
export async function applyAdopted(
  { hook, runId, attempt }: AdoptedRun,
  execution: Execution,
  { effects, events, log }: AdoptedRunsOptions,
  signal: AbortSignal,
): Promise<'left' | undefined> {
  const fields = { hook, run: runId, attempt };
  if (execution.type === 'failed') {
    log.error({ ...fields, err: execution.error }, 'the Job of an earlier leader has failed');
    return undefined;
  }
  const backoff = exponentialBackoff(BACKOFF);
  while (!signal.aborted) {
    try {
      const { operations, metrics, warnings } = await effects.parse(hook, execution.outputs, signal);
      for (const warning of warnings) log.warn({ ...fields }, warning);
      await effects.apply(operations, () => {}, signal);
      effects.applyMetrics(hook, metrics);
      log.info({ ...fields, operations: operations.length }, 'the Job of an earlier leader has ended, and is applied');
      return undefined;
    } catch (error) {
      if (signal.aborted) break;
      log.error({ ...fields, err: error }, 'what the Job of an earlier leader asked for could not be applied');
      if (failureOf(error).by !== 'environment') return tell(error);
      await sleep(backoff.next(), signal);
    }
  }
  return 'left';

  function tell(error: unknown): undefined {
    const message = `hook ${hook}: what run ${runId} of an earlier leader asked for is not applied: ${messageOf(error)}`;
    events.record({ type: 'Warning', reason: 'AdoptedRunFailed', message });
  }
}
