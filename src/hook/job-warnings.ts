import { nextRun } from '../crontab/next.ts';
import { goDuration } from '../lib/duration.ts';
import type { Hook, ReconcileBinding, ScheduleBinding } from './binding.ts';

/** Below that, the next Job comes while the one before is hardly there. */
const SHORT_MS = 60_000;
/** So many ticks after each other are no exception. */
const TICKS = 4;
const COSTS = 'each run is a Job, which takes seconds to start and costs the API server 15 writes';
const ADVICE = 'run it in the operator, or set settings.executionMinInterval';

/** Warnings about Jobs that are valid but make no sense, one line each. */
export function jobWarnings(
  { bindings, settings }: Pick<Hook, 'bindings' | 'settings'>,
  nowMs: number,
): readonly string[] {
  const isSlow = (settings.executionMinIntervalMs ?? 0) >= SHORT_MS;
  if (settings.executor?.type !== 'job' || isSlow) return [];
  return bindings.flatMap((binding) => {
    if (binding.type === 'schedule') return scheduleWarnings(binding, nowMs);
    return binding.type === 'reconcile' ? resyncWarnings(binding) : [];
  });
}

function scheduleWarnings({ name, crontab }: ScheduleBinding, nowMs: number): readonly string[] {
  const ticks = [nextRun(crontab, nowMs)];
  while (ticks.length < TICKS) ticks.push(nextRun(crontab, ticks.at(-1) ?? nowMs, nowMs));
  const intervals = ticks.slice(1).map((tickMs, index) => tickMs - (ticks[index] ?? tickMs));
  if (intervals.some((intervalMs) => intervalMs >= SHORT_MS)) return [];
  return [`schedule ${name}: ${COSTS}, and its crontab fires every ${goDuration(intervals[0] ?? 0)}: ${ADVICE}`];
}

function resyncWarnings({ name, resyncPeriodMs }: ReconcileBinding): readonly string[] {
  if (resyncPeriodMs === undefined || resyncPeriodMs >= SHORT_MS) return [];
  const period = goDuration(resyncPeriodMs);
  return [`reconcile ${name}: ${COSTS}, and resyncPeriod brings one for each object every ${period}: ${ADVICE}`];
}
