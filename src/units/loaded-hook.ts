import { admissionWarnings } from '../hook/admission-warnings.ts';
import type { Hook } from '../hook/binding.ts';
import { describeBindings } from '../hook/describe.ts';
import { scheduleWarnings } from '../hook/schedule-warnings.ts';
import type { Logger } from '../log.ts';

/** Logs the bindings of a hook that was loaded, and a warning for each likely mistake in its config. */
export function logLoaded(hook: Hook, nowMs: number, log: Logger): void {
  log.info({ hook: hook.name, bindings: describeBindings(hook, nowMs) }, 'hook loaded');
  const warnings = [...(hook.warnings ?? []), ...scheduleWarnings(hook, nowMs), ...admissionWarnings(hook)];
  for (const warning of warnings) {
    log.warn({ hook: hook.name, warning }, 'hook config has a likely mistake');
  }
}
