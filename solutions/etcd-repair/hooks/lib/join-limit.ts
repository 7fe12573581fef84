import type { Repair } from './turn.ts';

/** Minimum rate at which a new member must load the database. */
const LEAST_BYTES_PER_SECOND = 4 * 1024 * 1024;
/** Minimum rate while the leader reports that it is sending; how much has arrived is unknown. */
export const LEAST_BYTES_PER_SECOND_SENT = 128 * 1024;

/** Whether the new member exceeds the time limit of its last step. */
export function joinsTooLong(repair: Repair, bytesPerSecond = LEAST_BYTES_PER_SECOND): boolean {
  const { facts, record } = repair;
  return facts.nowMs - Date.parse(record.stepAt) > joinLimitMs(repair, bytesPerSecond);
}

/** Longer for a large database, and twice as long for each further attempt. */
export function joinLimitMs({ settings, facts, record }: Pick<Repair, 'settings' | 'facts' | 'record'>, rate: number) {
  const bytes = Math.max(0, ...facts.pods.map(({ status }) => status?.databaseBytes ?? 0));
  return (settings.joinWithinMs + (1000 * bytes) / rate) * 2 ** (record.attempt ?? 0);
}
