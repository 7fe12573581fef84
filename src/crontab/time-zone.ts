/** A time zone. Wall times are milliseconds as if the clock were in UTC. */
export interface TimeZone {
  /** Wall time minus UTC at this instant, in milliseconds. */
  offsetAt(instantMs: number): number;
}

const DAY_MS = 86_400_000;
const OFFSET = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/;
const zones = new Map<string, TimeZone>();

const localZone: TimeZone = {
  offsetAt: (instantMs) => -new Date(instantMs).getTimezoneOffset() * 60_000,
};

/**
 * Returns the zone with this IANA name, or the local zone of the process for `undefined`; throws for an unknown name.
 */
export function findTimeZone(name: string | undefined): TimeZone {
  if (name === undefined) return localZone;
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = createTimeZone(name);
  zones.set(name, zone);
  return zone;
}

/** Whether this machine knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    findTimeZone(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the instant at which the clock first shows this wall time; for a skipped one, the first instant after the
 * gap.
 */
export function firstInstant(zone: TimeZone, wallMs: number): number {
  const candidates = [wallMs - zone.offsetAt(wallMs - DAY_MS), wallMs - zone.offsetAt(wallMs + DAY_MS)];
  const earlyMs = Math.min(...candidates);
  const lateMs = Math.max(...candidates);
  if (earlyMs + zone.offsetAt(earlyMs) === wallMs) return earlyMs;
  if (lateMs + zone.offsetAt(lateMs) === wallMs) return lateMs;
  return changeBetween(zone, earlyMs, lateMs);
}

/**
 * Returns an instant in (`fromMs`, `toMs`] at which the offset changed from that at `fromMs`; both are whole seconds.
 */
export function changeBetween(zone: TimeZone, fromMs: number, toMs: number): number {
  const offsetMs = zone.offsetAt(fromMs);
  let before = fromMs / 1000;
  let after = toMs / 1000;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (zone.offsetAt(middle * 1000) === offsetMs) before = middle;
    else after = middle;
  }
  return after * 1000;
}

function createTimeZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  return {
    offsetAt(instantMs) {
      const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(instantMs)) ?? [];
      const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
      return sign === '-' ? -offsetMs : offsetMs;
    },
  };
}
