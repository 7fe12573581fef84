import type { Hook } from '../hook/binding.ts';
import { describeBindings } from '../hook/describe.ts';
import { scheduleWarnings } from '../hook/schedule-warnings.ts';
import type { Logger } from '../log.ts';

/** Says what a hook binds to, and what of it is likely a mistake. */
export function logLoaded(hook: Hook, nowMs: number, log: Logger): void {
  log.info({ hook: hook.name, bindings: describeBindings(hook, nowMs) }, 'hook loaded');
  for (const warning of scheduleWarnings(hook, nowMs)) {
    log.warn({ hook: hook.name, warning }, 'hook config has what is likely a mistake');
  }
}
