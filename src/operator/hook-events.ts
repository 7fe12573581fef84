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
    // Each tick that is given up, as nothing else shows it; else the first failure of a binding, then at most one in 10 minutes; none where the failure is allowed.
    record(event) {
      if (event.type === 'ended') for (const part of event.parts) recordGivenUp(event.run.id, part, events);
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

/** The Event of a tick that is given up: there is no object that could have it. */
function recordGivenUp(runId: string, { task, outcome, next }: EndedPart, events: Pick<EventRecorder, 'record'>): void {
  const [trigger] = task.triggers;
  const isGivenUp = next.type === 'dead' || (next.type === 'drop' && next.why === 'exhausted');
  if (!isGivenUp || trigger.type !== 'schedule' || outcome.type !== 'failed') return;
  const tick = new Date(trigger.run.scheduledAtMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const what = `hook ${task.hook.name}, binding ${trigger.binding.name}, gave up the tick ${tick}`;
  const message = `${what} after ${task.failures + 1} attempt(s): ${summaryOf(outcome.error)}`;
  events.record({ type: 'Warning', reason: 'GaveUp', runId, message });
}

/** Why a part of a run failed; undefined where it did not, or its failure is allowed. */
function failureOf({ outcome, next }: EndedPart): Error | undefined {
  const isAllowed = next.type === 'drop' && next.why === 'allowed';
  return outcome.type === 'failed' && !isAllowed ? outcome.error : undefined;
}
