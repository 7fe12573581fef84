import { durationText } from '../../lib/duration-text.ts';
import { printableLine } from '../../lib/printable.ts';
import { shownText } from '../../lib/shown.ts';
import { asJsonObject, text } from '../object.ts';
import type { Lease } from './lease.ts';

/** The label of a Lease that is a lock of hooks and scripts; hooklet takes no other. */
export const LOCK_LABEL = 'hooklet.dev/lock';

/** Who holds a lock, as people read it. */
export interface LockHolder {
  /** One printable line. */
  readonly holder: string;
  /** When the holder took it, by its own clock; absent where the Lease does not say. */
  readonly sinceMs?: number;
  /** When the holder renewed it last, by its own clock; absent where the Lease does not say. */
  readonly renewedMs?: number;
}

const MAX_HOLDER_CHARS = 200;

/** Whether a Lease is a lock: one with the label. */
export function isLock({ object }: Lease): boolean {
  return asJsonObject(asJsonObject(object['metadata'])['labels'])[LOCK_LABEL] === 'true';
}

/** Who holds a lease; the text of a foreign Lease cannot reach a terminal or a log as it is. */
export function holderOf({ holder, object }: Lease): LockHolder {
  const spec = asJsonObject(object['spec']);
  const sinceMs = Date.parse(text(spec['acquireTime']));
  const renewedMs = Date.parse(text(spec['renewTime']));
  return {
    holder: shownText(printableLine(holder), MAX_HOLDER_CHARS),
    ...(Number.isFinite(sinceMs) && { sinceMs }),
    ...(Number.isFinite(renewedMs) && { renewedMs }),
  };
}

/** Such as `the lock db/backup is held by web-0_1f since 2026-01-05T03:00:00Z (12m)`. */
export function heldText(lock: string, { holder, sinceMs }: LockHolder, nowMs: number): string {
  if (sinceMs === undefined) return `the lock ${lock} is held by ${holder}`;
  const since = new Date(sinceMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return `the lock ${lock} is held by ${holder} since ${since} (${durationText(Math.max(0, nowMs - sinceMs))})`;
}

/** Why a Lease without the label is not taken. */
export function foreignText(lock: string, lease: Lease): string {
  const { holder } = holderOf(lease);
  const whose = holder === '' ? '' : `, and ${holder} holds it`;
  return `the Lease ${lock} is not a lock of hooklet: it has no label ${LOCK_LABEL}: "true"${whose}; give the lock another name, or the Lease that label if nothing else uses it`;
}
