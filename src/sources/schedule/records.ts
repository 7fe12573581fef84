import type { Logger } from '../../log.ts';
import { Kept } from '../../state/kept.ts';
import type { KeptWords } from '../../state/kept-log.ts';
import type { Records } from '../../state/records.ts';
import type { Store } from '../../state/store.ts';
import { formatRecord, parseRecord } from './record-json.ts';
import type { ScheduleRecord } from './record.ts';

/** The records of schedule bindings, each under the `recordKey` of its hook and its binding. */
export type ScheduleRecords = Records<ScheduleRecord>;

/** How log lines name the persisted records of schedules. */
export const SCHEDULE_WORDS: KeptWords = {
  what: 'schedule state',
  one: 'state of a schedule',
  unreachable: 'schedules wait for it',
  refused: 'ticks missed while nobody is there are lost',
};

/** The records of schedules, persisted in `store` while `run` of the result is pending. */
export function keptSchedules(store: Store, log: Logger): Kept<ScheduleRecord> {
  return new Kept({ store, codec: { format: formatRecord, parse: parseRecord }, words: SCHEDULE_WORDS, log });
}
