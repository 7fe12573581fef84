import type { Repair } from './turn.ts';

/** What a new member has to load is loaded no slower than this, else something is wrong with it. */
const LEAST_BYTES_PER_SECOND = 4 * 1024 * 1024;
/** The same where the leader says that it is sending; how much of it has arrived nobody says. */
export const LEAST_BYTES_PER_SECOND_SENT = 128 * 1024;

/** Whether the new member has taken longer for its last step than it may. */
export function joinsTooLong(repair: Repair, bytesPerSecond = LEAST_BYTES_PER_SECOND): boolean {
  const { facts, record } = repair;
  return facts.nowMs - Date.parse(record.stepAt) > joinLimitMs(repair, bytesPerSecond);
}

/** More for a large database, and twice as much for each attempt: what was too little is not tried again. */
export function joinLimitMs({ settings, facts, record }: Pick<Repair, 'settings' | 'facts' | 'record'>, rate: number) {
  const bytes = Math.max(0, ...facts.pods.map(({ status }) => status?.databaseBytes ?? 0));
  return (settings.joinWithinMs + (1000 * bytes) / rate) * 2 ** (record.attempt ?? 0);
}
