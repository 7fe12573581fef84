import { vi } from 'vitest';
import { HEARTBEAT_MS } from '../../src/sources/schedule/binding-schedule.ts';
import { sleep } from '../../src/lib/sleep.ts';
import type { ScheduleBinding } from '../../src/hook/binding.ts';
import type { ScheduleTrigger } from '../../src/hook/trigger.ts';
import { HookSchedules } from '../../src/sources/schedule/hook-schedules.ts';
import type { ScheduleRecord } from '../../src/sources/schedule/record.ts';
import { keptSchedules, type ScheduleRecords } from '../../src/sources/schedule/records.ts';
import { ScheduledRuns } from '../../src/sources/schedule/scheduled-runs.ts';
import { MemoryRecords } from '../../src/state/records.ts';
import type { Store } from '../../src/state/store.ts';
import { StoreGate } from './memory-store.ts';
import { recordingLogger } from './recording-logger.ts';

let processes = 0;

export interface ScheduleRigOptions {
  readonly hook?: string;
  readonly store?: Store;
  /** Two processes of one host never run at the same time; default: always the same host. */
  readonly host?: string;
  readonly records?: ScheduleRecords;
  /** The names of bindings that are not persisted. */
  readonly unkept?: readonly string[];
}

/**
 * The schedules of one hook in one operator process, under fake timers, persisted in `store` if given. `ticks` records
 * `name time` of each trigger; `end` stops gracefully, `crash` without any further write.
 */
export function startSchedules(bindings: readonly ScheduleBinding[], options: ScheduleRigOptions = {}) {
  const controller = new AbortController();
  const keeping = new AbortController();
  const log = recordingLogger();
  const triggers: ScheduleTrigger[] = [];
  const ticks: string[] = [];
  const told: string[] = [];
  const gate = new StoreGate(options.store);
  const kept = options.store === undefined ? undefined : keptSchedules(gate, log);
  const memory = new MemoryRecords<ScheduleRecord>();
  const records = options.records ?? kept ?? memory;
  const scheduled = new ScheduledRuns();
  const schedules = new HookSchedules({
    scheduledRuns: scheduled,
    hook: options.hook ?? 'hook.sh',
    bindings,
    recordsOf: ({ name }) => (options.unkept?.includes(name) === true ? memory : records),
    me: `${options.host ?? 'host'}_${++processes}`,
    now: Date.now,
    emit: (trigger) => {
      triggers.push(trigger);
      ticks.push(`${trigger.binding.name} ${clockTime(Date.now())}`);
    },
    replace: (runIds) => told.push(`replace ${runIds.size}`),
    observer: {
      onRecord: () => {},
      onMissed: ({ id }, { count, isAtLeast }) => told.push(`${id} missed ${isAtLeast ? '>= ' : ''}${count}`),
      onSkipped: ({ id }, count) => told.push(`${id} skipped ${count}`),
      onFailed: ({ id }) => told.push(`${id} failed`),
    },
    log,
  });
  const beat = async (): Promise<void> => {
    while (!keeping.signal.aborted) {
      await sleep(HEARTBEAT_MS, keeping.signal);
      for (const schedule of schedules.schedules) if (!keeping.signal.aborted) schedule.runs.heartbeat();
    }
  };
  const beating = kept === undefined ? undefined : beat();
  const keptEnded = kept?.run(keeping.signal);
  const ended = schedules.run(controller.signal);
  return {
    schedules,
    scheduled,
    triggers,
    ticks,
    told,
    log,
    kept,
    ended,
    beating,
    /** `reason scheduledAt` of each trigger. */
    runs: (): readonly string[] => triggers.map(({ run }) => `${run.reason} ${clockTime(run.scheduledAtMs)}`),
    /** Simulates the run of a trigger until it ends. */
    run: (trigger: ScheduleTrigger, outcome: 'succeeded' | 'failed' = 'succeeded'): void => {
      scheduled.begin([trigger]);
      scheduled.end([trigger], outcome);
    },
    end: async (): Promise<void> => {
      controller.abort();
      await ended;
      for (const schedule of schedules.schedules) schedule.runs.interrupt();
      keeping.abort();
      await vi.advanceTimersByTimeAsync(0);
      await keptEnded;
    },
    crash: async (): Promise<void> => {
      gate.close();
      controller.abort();
      keeping.abort();
      await ended;
      // Unwritten changes are dropped.
      await vi.advanceTimersByTimeAsync(5000);
      await keptEnded;
    },
  };
}

export type ScheduleRig = ReturnType<typeof startSchedules>;

/** `2026-05-01T10:00:00`. */
export function clockTime(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19);
}
