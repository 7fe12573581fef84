import type { HookConfigError } from '../errors.ts';
import type { HealthCheck } from '../server/health.ts';
import type { HookUnit } from './hook-unit.ts';

// Bookmarks come about every minute; a watch that is silent for this long has lost its server.
const MAX_SILENCE_MS = 140_000;

export interface HealthSource {
  readonly units: readonly HookUnit[];
  readonly broken: readonly HookConfigError[];
  /** Whether all onStartup hooks succeeded. */
  readonly isStarted: boolean;
  readonly nowMs: number;
}

/** The checks of `/readyz`: startup, every hook, every watch. */
export function readinessChecks({ units, broken, isStarted, nowMs }: HealthSource): readonly HealthCheck[] {
  const startup = {
    name: 'startup',
    isOk: isStarted,
    message: isStarted ? '' : 'onStartup hooks have not all succeeded',
  };
  const brokenHooks = broken.map(({ hook, message }) => ({ name: `hook ${hook}`, isOk: false, message }));
  return [startup, ...brokenHooks, ...units.flatMap((unit) => unitChecks(unit, nowMs))];
}

function unitChecks(unit: HookUnit, nowMs: number): readonly HealthCheck[] {
  const { name } = unit.hook;
  const watches = unit.statuses().map(([binding, { isSynced, lastContactAtMs, problem }]) => {
    const silenceMs = lastContactAtMs === undefined ? 0 : nowMs - lastContactAtMs;
    const message = problem ?? (isSynced ? silence(silenceMs) : 'the first list has not come yet');
    return { name: `watch ${name}/${binding.name}`, isOk: message === '', message };
  });
  const message = unit.isEnabled ? '' : 'waits for its Synchronization';
  return [{ name: `hook ${name}`, isOk: unit.isEnabled, message }, ...watches];
}

function silence(silenceMs: number): string {
  return silenceMs > MAX_SILENCE_MS ? `nothing heard for ${Math.round(silenceMs / 1000)} s` : '';
}
