import { newRecord } from '../../src/sources/schedule/current-record.ts';
import type { OpenRun, ScheduleRecord } from '../../src/sources/schedule/record.ts';
import { scheduleBinding } from './bindings.ts';

/** A waiting run of the process `me`. */
export function openRun(id: number, fields: Partial<OpenRun> = {}): OpenRun {
  return {
    runId: `r${id}`,
    scheduledAtMs: id,
    reason: 'tick',
    state: 'waiting',
    attempts: 0,
    holder: 'me',
    heartbeatMs: 0,
    ...fields,
  };
}

/** A record since 0 with these runs. */
export function recordWith(...open: readonly OpenRun[]): ScheduleRecord {
  return { ...newRecord({ hook: 'h', id: 's', binding: scheduleBinding('s') }, 0), open };
}
