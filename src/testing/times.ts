import type { Duration, Instant } from './public.ts';

/** Returns a duration as scenario files write it. A value that is no duration stays, and its reader reports it. */
export function durationText(duration: Duration): unknown {
  return typeof duration === 'number' && Number.isFinite(duration) ? `${duration}ms` : duration;
}

/** The time as a scenario file has it. */
export function instantText(time: Instant): unknown {
  const date = typeof time === 'number' ? new Date(time) : time;
  if (!(date instanceof Date)) return date;
  return Number.isNaN(date.getTime()) ? 'Invalid Date' : date.toISOString();
}
