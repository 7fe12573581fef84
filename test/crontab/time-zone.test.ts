import { describe, expect, it } from 'vitest';
import { changeBetween, findTimeZone, firstInstant, isTimeZone } from '../../src/crontab/time-zone.ts';

const at = (text: string): number => Date.parse(text);
const HOUR_MS = 3_600_000;

describe('findTimeZone', () => {
  it.each([
    ['UTC', '2026-07-01T00:00:00Z', 0],
    ['Europe/Berlin', '2026-01-01T00:00:00Z', 1],
    ['Europe/Berlin', '2026-07-01T00:00:00Z', 2],
    ['America/St_Johns', '2026-01-01T00:00:00Z', -3.5],
    ['Asia/Kathmandu', '2026-01-01T00:00:00Z', 5.75],
    ['Australia/Lord_Howe', '2026-01-01T00:00:00Z', 11],
    ['Australia/Lord_Howe', '2026-07-01T00:00:00Z', 10.5],
  ])('knows the offset of %s at %s', (name, instant, hours) => {
    expect(findTimeZone(name).offsetAt(at(instant))).toBe(hours * HOUR_MS);
  });

  it('takes the zone of the process without a name', () => {
    const instant = new Date('2026-07-01T00:00:00Z');

    const wall = new Date(instant.getTime() + findTimeZone(undefined).offsetAt(instant.getTime()));

    expect([wall.getUTCDate(), wall.getUTCHours(), wall.getUTCMinutes()]).toEqual([
      instant.getDate(),
      instant.getHours(),
      instant.getMinutes(),
    ]);
  });
});

describe('isTimeZone', () => {
  it('distinguishes the names of time zones from other texts', () => {
    expect([isTimeZone('Europe/Berlin'), isTimeZone('Mars/Base'), isTimeZone('')]).toEqual([true, false, false]);
  });
});

describe('firstInstant', () => {
  it.each([
    ['an ordinary time', 'Europe/Berlin', '2026-06-01T12:00:00Z', '2026-06-01T10:00:00Z'],
    ['a skipped time: the end of the gap', 'Europe/Berlin', '2026-03-29T02:30:00Z', '2026-03-29T01:00:00Z'],
    ['a repeated time: the first', 'Europe/Berlin', '2026-10-25T02:30:00Z', '2026-10-25T00:30:00Z'],
    ['half an hour skipped', 'Australia/Lord_Howe', '2026-10-04T02:15:00Z', '2026-10-03T15:30:00Z'],
    ['half an hour repeated', 'Australia/Lord_Howe', '2026-04-05T01:45:00Z', '2026-04-04T14:45:00Z'],
    ['a day skipped', 'Pacific/Apia', '2011-12-30T12:00:00Z', '2011-12-30T10:00:00Z'],
  ])('finds %s', (_law, zone, wall, instant) => {
    expect(new Date(firstInstant(findTimeZone(zone), at(wall))).toISOString()).toBe(
      new Date(at(instant)).toISOString(),
    );
  });
});

describe('changeBetween', () => {
  it('finds the second in which the clock is moved', () => {
    const zone = findTimeZone('America/New_York');

    const change = changeBetween(zone, at('2026-01-01T00:00:00Z'), at('2026-07-01T00:00:00Z'));

    expect(new Date(change).toISOString()).toBe('2026-03-08T07:00:00.000Z');
  });
});
