import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { scheduleList } from '../../src/cli/schedule/list.ts';
import type { ScheduleDocument } from '../../src/server/schedule-document.ts';

const NOW_MS = Date.parse('2026-01-05T03:30:00Z');
const schedules: readonly ScheduleDocument[] = [
  {
    hook: 'db/backup.sh',
    binding: 'nightly',
    crontab: '0 3 * * *',
    timeZone: 'UTC',
    next: '2026-01-06T03:00:00.000Z',
    lastScheduled: '2026-01-05T03:00:00.000Z',
    lastSuccess: '2026-01-05T03:00:41.000Z',
    outcome: 'succeeded',
    missed: 2,
    suspended: false,
    kept: true,
  },
  { hook: 'tidy.sh', binding: 'weekly', crontab: 'TZ=Asia/Tokyo 0 4 * * 0', missed: 0, suspended: true, kept: false },
];

it('shows each schedule in a line', () => {
  expect(scheduleList(schedules, 'text', NOW_MS)).toBe(
    [
      'HOOK          BINDING  CRONTAB                  ZONE  NEXT                              LAST                  LAST SUCCESS                       OUTCOME    MISSED  STATE',
      'db/backup.sh  nightly  0 3 * * *                UTC   2026-01-06T03:00:00Z (in 23h30m)  2026-01-05T03:00:00Z  2026-01-05T03:00:41Z (29m19s ago)  succeeded  2       active, kept',
      'tidy.sh       weekly   TZ=Asia/Tokyo 0 4 * * 0  -     -                                 -                     -                                  -          0       suspended, not kept',
      '',
    ].join('\n'),
  );
});

it.each([
  [
    'failed, again in 20s (attempt 4)',
    { hook: 'db/backup.sh', queue: 'main', attempt: 4, again: '2026-01-05T03:30:20.000Z' },
  ],
  [
    'failed, runs for 40s (attempt 4)',
    { hook: 'db/backup.sh', queue: 'main', attempt: 4, runningSince: '2026-01-05T03:29:20.000Z' },
  ],
  [
    'waiting for other.sh, which runs for 40s (attempt 1)',
    { hook: 'other.sh', queue: 'main', attempt: 1, runningSince: '2026-01-05T03:29:20.000Z' },
  ],
  [
    'waiting for other.sh, which failed, again in 20s (attempt 4)',
    { hook: 'other.sh', queue: 'main', attempt: 4, again: '2026-01-05T03:30:20.000Z' },
  ],
])('says of a run that waits: %s', (text, heldBy) => {
  const [first] = schedules;
  if (first === undefined) throw new Error('no schedule');

  expect(scheduleList([{ ...first, outcome: 'waiting', heldBy }], 'text', NOW_MS)).toContain(`  ${text}  `);
});

it('writes JSON and YAML', () => {
  expect(JSON.parse(scheduleList(schedules, 'json', NOW_MS))).toEqual(schedules);
  expect(parse(scheduleList(schedules, 'yaml', NOW_MS))).toEqual(schedules);
});

it('says when there are none', () => {
  expect(scheduleList([], 'text', NOW_MS)).toBe('No hook has a schedule.\n');
  expect(scheduleList([], 'json', NOW_MS)).toBe('[]\n');
});
