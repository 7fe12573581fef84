import type { ScheduleBinding } from '../hook/binding.ts';
import { nextRun } from '../hook/crontab-next.ts';
import { runIdOf } from '../hook/run-id.ts';
import type { Trigger } from '../hook/trigger.ts';
import { sleep } from '../lib/sleep.ts';
import type { Logger } from '../log.ts';

export type ScheduleTrigger = Extract<Trigger, { readonly type: 'schedule' }>;

export interface ScheduleOptions {
  readonly hook: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly emit: (trigger: ScheduleTrigger) => void;
  readonly log: Logger;
}

// A clock that is moved forward is noticed after one nap at the latest.
const MAX_NAP_MS = 60_000;

/**
 * Emits a trigger whenever a schedule is due, until `signal` aborts. What came due while the process slept or was busy
 * runs once, late; a clock that goes back by more than a minute starts the schedules anew, a smaller step only waits.
 */
export async function runSchedule(
  bindings: readonly ScheduleBinding[],
  { hook, now, emit, log }: ScheduleOptions,
  signal: AbortSignal,
): Promise<void> {
  let seenMs = now();
  let entries = plan(bindings, seenMs);
  while (!signal.aborted) {
    await sleep(napBefore(entries, now()), signal);
    if (signal.aborted) return;
    const nowMs = now();
    if (nowMs < seenMs - MAX_NAP_MS) {
      log.warn({ backMs: seenMs - nowMs }, 'clock went back, schedules start anew');
      entries = plan(bindings, nowMs);
    }
    for (const { binding, dueMs } of entries.filter((entry) => isDue(entry, nowMs))) {
      if (nowMs - dueMs > MAX_NAP_MS) log.warn({ binding: binding.name, lateMs: nowMs - dueMs }, 'schedule runs late');
      const runId = runIdOf(hook, binding.name, dueMs);
      emit({ type: 'schedule', binding, run: { runId, scheduledAtMs: dueMs, reason: 'tick', attemptsBefore: 0 } });
    }
    entries = entries.map((entry) => (isDue(entry, nowMs) ? advance(entry, nowMs) : entry));
    seenMs = nowMs;
  }
}

interface Entry {
  readonly binding: ScheduleBinding;
  /** `@every` counts from here. */
  readonly enabledMs: number;
  readonly dueMs: number;
}

function plan(bindings: readonly ScheduleBinding[], nowMs: number): readonly Entry[] {
  return bindings.map((binding) => advance({ binding, enabledMs: nowMs }, nowMs));
}

function advance({ binding, enabledMs }: Omit<Entry, 'dueMs'>, nowMs: number): Entry {
  return { binding, enabledMs, dueMs: nextRun(binding.crontab, nowMs, enabledMs) };
}

function isDue({ dueMs }: Entry, nowMs: number): boolean {
  return dueMs <= nowMs;
}

function napBefore(entries: readonly Entry[], nowMs: number): number {
  return Math.min(MAX_NAP_MS, ...entries.map(({ dueMs }) => dueMs - nowMs));
}
