import type { EventToRecord } from 'hooklet';
import type { Attempt } from './attempt.ts';
import { problemOf } from './conditions.ts';
import { readAttempt } from './recorded.ts';
import { asFields } from './report.ts';
import type { Backup } from './spec.ts';
import type { Standing } from './status.ts';

/** The Events of attempts that the status does not have yet in this form: each is told once. */
export function eventsOf(backup: Backup, { backup: last, drill }: Standing): readonly EventToRecord[] {
  const { lastAttempt, lastDrill } = asFields(backup.status);
  return [told('Backup', last, readAttempt(lastAttempt)), told('Drill', drill, readAttempt(lastDrill))].flat();
}

function told(what: string, now: Attempt | undefined, before: Attempt | undefined): readonly EventToRecord[] {
  if (now === undefined) return [];
  const isSame = before?.job === now.job && before.reason === now.reason;
  if (isSame && (before.outcome === now.outcome || now.reason !== '')) return [];
  if (problemOf(now) !== undefined)
    return [
      { type: 'Warning', reason: `${what}${now.reason}`, message: now.message, once: `${now.job}-${now.reason}` },
    ];
  return now.outcome === 'Succeeded'
    ? [{ type: 'Normal', reason: `${what}Succeeded`, message: now.message, once: now.job }]
    : [];
}
