import { describe, expect, it } from 'vitest';
import { parseTimeArgument } from '../../src/cli/schedule/time-argument.ts';
import { findTimeZone } from '../../src/crontab/time-zone.ts';

const NOW_MS = Date.parse('2026-01-05T03:00:00Z');
const zone = findTimeZone('Europe/Berlin');

describe('a time on the command line', () => {
  it.each<[string, 'start' | 'end', string]>([
    ['now', 'start', '2026-01-05T03:00:00.000Z'],
    ['2026-03-29', 'start', '2026-03-28T23:00:00.000Z'],
    ['2026-03-29', 'end', '2026-03-29T22:00:00.000Z'],
    ['2026-03-29T01:30', 'end', '2026-03-29T00:30:00.000Z'],
    ['2026-03-29 01:30:15', 'start', '2026-03-29T00:30:15.000Z'],
    // Daylight saving time skips this time of day.
    ['2026-03-29T02:30', 'start', '2026-03-29T01:00:00.000Z'],
    ['2026-03-29T02:30:00Z', 'start', '2026-03-29T02:30:00.000Z'],
    ['2026-03-29T02:30:00.5+05:30', 'start', '2026-03-28T21:00:00.500Z'],
    ['2026-03-29 02:30Z', 'start', '2026-03-29T02:30:00.000Z'],
  ])('%s as the %s of a range', (text, edge, expected) => {
    const timeMs = parseTimeArgument(text, { zone, nowMs: NOW_MS, edge });

    expect(new Date(timeMs ?? Number.NaN).toISOString()).toBe(expected);
  });

  it.each(['', 'tomorrow', '2026-02-30', '2026-02-30T10:00Z', '2026-13-01', '2026-03-29T25:00', '29.03.2026', '12:00'])(
    'is not %j',
    (text) => {
      expect(parseTimeArgument(text, { zone, nowMs: NOW_MS, edge: 'start' })).toBeUndefined();
    },
  );
});
