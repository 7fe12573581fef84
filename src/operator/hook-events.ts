import { summaryOf, type HookConfigError } from '../errors.ts';
import type { EventRecorder } from '../kube/coordination/event-recorder.ts';
import type { EndedPart, RunJournal } from '../run/journal.ts';
import { bindingOf } from '../run/run-reason.ts';

/**
 * Reports broken and failing hooks by Events about the operator's Pod. More people can read Events than the log, so
 * they contain nothing that hooks print or write, which may be secret.
 */
export interface HookEvents extends RunJournal {
  broken(error: HookConfigError): void;
}

const FAILED_EVERY_MS = 600_000;

/** Creates the Events of hooks; they are recorded in `events`. */
export function createHookEvents(events: Pick<EventRecorder, 'record'>, now: () => number): HookEvents {
  const reportedAtMs = new Map<string, number>();
  return {
    broken: ({ summary }) => events.record({ type: 'Warning', reason: 'HookBroken', message: summary }),
    // The first failure of a binding, then at most one in 10 minutes; none where the failure is allowed.
    record(event) {
      const failure =
        event.type === 'ended' ? event.parts.map(failureOf).find((error) => error !== undefined) : undefined;
      if (event.type !== 'ended' || failure === undefined) return;
      const { task } = event.run;
      const [hook, binding] = [task.hook.name, bindingOf(task)];
      const key = JSON.stringify([hook, binding]);
      const nowMs = now();
      if (nowMs - (reportedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < FAILED_EVERY_MS) return;
      reportedAtMs.set(key, nowMs);
      const where = binding === '' ? '' : `, binding ${binding}`;
      events.record({
        type: 'Warning',
        reason: 'HookFailed',
        runId: event.run.id,
        message: `hook ${hook}${where}: ${summaryOf(failure)}`,
      });
    },
  };
}

/** Why a part of a run failed; undefined where it did not, or its failure is allowed. */
function failureOf({ outcome, next }: EndedPart): Error | undefined {
  const isAllowed = next.type === 'drop' && next.why === 'allowed';
  return outcome.type === 'failed' && !isAllowed ? outcome.error : undefined;
}
