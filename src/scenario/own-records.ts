import type { JsonValue } from '@hooklet/sandbox';

/** Where hooklet keeps what it remembers, by default. */
const NAMES: readonly JsonValue[] = ['hooklet-dead-letters', 'hooklet-schedules'];

/** Whether an object is what hooklet writes for itself: its Events, Leases and records. */
export function isOwnRecord(kind: JsonValue | undefined, name: JsonValue | undefined): boolean {
  return kind === 'Event' || kind === 'Lease' || (kind === 'ConfigMap' && NAMES.includes(name ?? ''));
}
