import { expect, it } from 'vitest';
import { scheduleDocument } from '../../src/server/schedule-document.ts';
import { scheduleStatus } from '../support/fake-schedules.ts';

it('a schedule that has never run has no times', () => {
  expect(scheduleDocument(scheduleStatus())).toEqual({
    hook: 'db/backup.sh',
    binding: 'nightly',
    crontab: '0 3 * * *',
    missed: 0,
    suspended: false,
    kept: false,
  });
});

it('times are RFC 3339 in UTC', () => {
  const atMs = Date.parse('2026-01-05T03:00:00Z');
  const status = scheduleStatus({
    timeZone: 'Europe/Berlin',
    nextAtMs: atMs + 86_400_000,
    lastScheduledAtMs: atMs,
    lastStartedAtMs: atMs + 1000,
    lastSucceededAtMs: atMs + 61_000,
    runId: 'nightly-1',
    outcome: 'succeeded',
    missed: 2,
    isKept: true,
  });

  expect(scheduleDocument(status)).toMatchObject({
    timeZone: 'Europe/Berlin',
    next: '2026-01-06T03:00:00.000Z',
    lastScheduled: '2026-01-05T03:00:00.000Z',
    lastStarted: '2026-01-05T03:00:01.000Z',
    lastSuccess: '2026-01-05T03:01:01.000Z',
    runId: 'nightly-1',
    outcome: 'succeeded',
    missed: 2,
    kept: true,
  });
});
