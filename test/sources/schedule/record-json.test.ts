import { describe, expect, it } from 'vitest';
import { formatRecord, parseRecord } from '../../../src/sources/schedule/record-json.ts';
import type { ScheduleRecord } from '../../../src/sources/schedule/record.ts';

const full: ScheduleRecord = {
  hook: '002-x/backup.sh',
  binding: 'nightly',
  crontab: '0 2 * * *',
  timeZone: 'Europe/Berlin',
  sinceMs: Date.UTC(2026, 0, 1),
  coveredUntilMs: Date.UTC(2026, 4, 1, 2),
  lastScheduledMs: Date.UTC(2026, 4, 1, 2),
  lastStartedMs: Date.UTC(2026, 4, 1, 2, 0, 0, 5),
  lastSucceededMs: Date.UTC(2026, 3, 30, 2, 5),
  last: { runId: 'r', outcome: 'running' },
  open: [
    {
      runId: 'r',
      scheduledAtMs: Date.UTC(2026, 4, 1, 2),
      reason: 'tick',
      state: 'running',
      attempts: 1,
      holder: 'me',
      heartbeatMs: 7000,
    },
  ],
  missed: 3,
  isSuspended: false,
};
const bare: ScheduleRecord = {
  hook: 'h',
  binding: 'b',
  crontab: '@daily',
  sinceMs: 0,
  coveredUntilMs: 0,
  open: [],
  missed: 0,
  isSuspended: true,
};

describe('the text of a record', () => {
  it.each([full, bare])('is read back as it was written', (record) => {
    expect(parseRecord(formatRecord(record))).toEqual(record);
  });

  it('can be read by a person', () => {
    expect(formatRecord(full).split('\n')).toEqual(
      expect.arrayContaining([
        '  "lastSucceeded": "2026-04-30T02:05:00.000Z",',
        '  "missed": 3,',
        '  "suspended": false',
      ]),
    );
  });

  it('may have more in it than is known', () => {
    expect(parseRecord(JSON.stringify({ ...JSON.parse(formatRecord(bare)), more: 1 }))).toEqual(bare);
  });

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ hook: 1 }, 'hook is 1, expected a string'],
    [{ since: 'yesterday' }, 'since is not a time: "yesterday"'],
    [{ coveredUntil: undefined }, 'coveredUntil is missing, expected a string'],
    [{ open: {} }, 'open is {}, expected a list'],
    [{ open: [1] }, 'an element of open is not a mapping'],
    [{ missed: -1 }, 'missed is -1, expected a whole number'],
    [{ suspended: 'no' }, 'suspended is "no", expected true or false'],
    [{ lastRun: { runId: 'r', outcome: 'fine' } }, 'outcome is "fine", expected one of waiting, running'],
  ])('is refused with the reason: %j', (fields, message) => {
    const text = JSON.stringify({ ...JSON.parse(formatRecord(bare)), ...fields });

    expect(() => parseRecord(text)).toThrow(message);
    expect(() => parseRecord(text)).toThrow(SyntaxError);
  });

  it.each(['', '{', '[]', 'null'])('is refused where it is no mapping: %j', (text) => {
    expect(() => parseRecord(text)).toThrow(SyntaxError);
  });

  it('is refused with a reason that is none', () => {
    const open = [
      { ...full.open[0], scheduledAt: '2026-05-01T02:00:00Z', aliveAt: '2026-05-01T02:00:00Z', reason: 'whim' },
    ];
    const text = JSON.stringify({ ...JSON.parse(formatRecord(bare)), open });

    expect(() => parseRecord(text)).toThrow('reason is whim, expected tick, catch-up or manual');
  });
});
