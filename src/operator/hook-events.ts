import { summaryOf, type HookConfigError } from '../errors.ts';
import type { EventRecorder } from '../kube/coordination/event-recorder.ts';
import type { RunJournal } from '../run/journal.ts';
import { bindingOf } from '../run/run-reason.ts';

/**
 * Tells of hooks in trouble by Events about the operator's Pod. More people can read them than the log: what hooks print
 * and write, where secrets may be, is not in them.
 */
export interface HookEvents extends RunJournal {
  broken(error: HookConfigError): void;
}

const FAILED_EVERY_MS = 600_000;

export function createHookEvents(events: Pick<EventRecorder, 'record'>, now: () => number): HookEvents {
  const toldAtMs = new Map<string, number>();
  return {
    broken: ({ summary }) => events.record({ type: 'Warning', reason: 'HookBroken', message: summary }),
    // At once for the first failure of a binding, then rarely; not where the binding allows it.
    record(event) {
      if (event.type !== 'ended' || event.outcome.type !== 'failed' || event.next.type === 'drop') return;
      const { task } = event.run;
      const [hook, binding] = [task.hook.name, bindingOf(task)];
      const key = JSON.stringify([hook, binding]);
      const nowMs = now();
      if (nowMs - (toldAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < FAILED_EVERY_MS) return;
      toldAtMs.set(key, nowMs);
      const where = binding === '' ? '' : `, binding ${binding}`;
      events.record({
        type: 'Warning',
        reason: 'HookFailed',
        message: `hook ${hook}${where}: ${summaryOf(event.outcome.error)}`,
      });
    },
  };
}
