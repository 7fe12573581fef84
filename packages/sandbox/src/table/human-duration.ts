import type { JsonValue } from '../json.ts';

/** Formats a duration as kubectl does: at most two units, and coarser the longer it is. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return `${Math.max(seconds, 0)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? inHours(hours, minutes) : inDays(hours);
}

function inHours(hours: number, minutes: number): string {
  return hours < 8 ? both(hours, 'h', minutes % 60, 'm') : `${hours}h`;
}

function inDays(hours: number): string {
  const days = Math.floor(hours / 24);
  if (days < 8) return both(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? both(years, 'y', days % 365, 'd') : `${years}y`;
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** The age of a time in JSON; `<unknown>` if there is none. */
export function ageOf(moment: JsonValue | undefined, now: number): string {
  if (typeof moment !== 'string' || moment === '') return '<unknown>';
  const milliseconds = Date.parse(moment);
  return Number.isNaN(milliseconds) ? '<invalid>' : humanDuration(now - milliseconds);
}
