import { describe, expect, it } from 'vitest';
import { expectedInterval, nextInterval } from '../../src/crontab/interval.ts';
import { parseCrontab } from '../../src/crontab/crontab.ts';

const HOUR_MS = 3_600_000;

describe('nextInterval', () => {
  it.each([
    ['TZ=UTC 0 2 * * *', 24],
    ['@every 90m', 1.5],
    ['* * * * * *', 1 / 3600],
  ])('of %j is the time between the next two ticks: %d h', (crontab, hours) => {
    expect(nextInterval(parseCrontab(crontab), Date.parse('2026-05-01T10:00:07Z'))).toBeCloseTo(hours * HOUR_MS, 3);
  });
});

describe('expectedInterval', () => {
  // 1 May 2026 is a Friday.
  it.each([
    ['TZ=UTC 0 2 * * *', '01T10:00:00', 24],
    ['TZ=UTC */5 * * * *', '01T10:00:00', 1 / 12],
    ['@every 90m', '01T10:00:00', 1.5],
    ['TZ=UTC 0 9 * * mon-fri', '01T08:59:00', 24],
    ['TZ=UTC 0 9 * * mon-fri', '01T09:01:00', 72],
    ['TZ=UTC 0 9 * * mon-fri', '03T12:00:00', 72],
    ['TZ=UTC 0 9 * * mon-fri', '04T09:01:00', 72],
    ['TZ=UTC 0 9 * * mon-fri', '05T09:01:00', 24],
    ['TZ=UTC 0 0 1 1 *', '01T10:00:00', 365 * 24],
    ['TZ=UTC 0 0 29 2 *', '01T10:00:00', (3 * 365 + 366) * 24],
  ])('of %j on May %s is the longer one around the last tick: %d h', (crontab, at, hours) => {
    expect(expectedInterval(parseCrontab(crontab), Date.parse(`2026-05-${at}Z`))).toBe(hours * HOUR_MS);
  });
});
