import { describe, expect, it } from 'vitest';
import { scheduleWarnings } from '../../src/hook/schedule-warnings.ts';
import { hookWith, scheduleBinding } from '../support/bindings.ts';

const nowMs = Date.parse('2026-05-01T10:00:07Z');

describe('scheduleWarnings', () => {
  it.each<[string, Parameters<typeof scheduleBinding>[1], readonly string[]]>([
    ['usual ones', { crontab: '*/5 * * * *', jitterMs: 60_000, missed: { type: 'latest' } }, []],
    [
      'a zone for @every',
      { crontab: 'TZ=Asia/Tokyo @every 5m' },
      ['schedule s: the time zone Asia/Tokyo has no effect on @every'],
    ],
    [
      'all missed ticks where one at a time is wanted',
      { missed: { type: 'all', limit: 3 }, concurrency: 'skip' },
      ['schedule s: "missed: all" runs several ticks late, of which "concurrency: skip" leaves only one'],
    ],
    [
      'a jitter longer than the interval',
      { crontab: '*/5 * * * *', jitterMs: 600_000 },
      ['schedule s: a jitter of 600 s is not shorter than the time between two ticks, 300 s'],
    ],
  ])('of %s', (_what, fields, warnings) => {
    expect(scheduleWarnings(hookWith('hook.sh', [scheduleBinding('s', fields)]), nowMs)).toEqual(warnings);
  });
});
