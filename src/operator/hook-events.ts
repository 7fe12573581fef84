import type { HookConfigError } from '../errors.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';

/** Tells of hooks in trouble by Events about the operator's Pod. */
export interface HookEvents {
  broken(error: HookConfigError): void;
  /** At once for the first failure of a binding, then rarely, because each comes with an output of its own. */
  failed(hook: string, binding: string, error: unknown): void;
}

const FAILED_EVERY_MS = 600_000;

export function createHookEvents(events: Pick<EventRecorder, 'record'>, now: () => number): HookEvents {
  const toldAtMs = new Map<string, number>();
  return {
    broken: ({ message }) => events.record({ type: 'Warning', reason: 'HookBroken', message }),
    failed(hook, binding, error) {
      const key = JSON.stringify([hook, binding]);
      const nowMs = now();
      if (nowMs - (toldAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < FAILED_EVERY_MS) return;
      toldAtMs.set(key, nowMs);
      const said = error instanceof Error ? error.message : String(error);
      const where = binding === '' ? '' : `binding ${binding}: `;
      events.record({ type: 'Warning', reason: 'HookFailed', message: `${where}${said}` });
    },
  };
}
