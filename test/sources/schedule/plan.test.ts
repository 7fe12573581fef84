import { describe, expect, it } from 'vitest';
import type { ScheduleBinding } from '../../../src/hook/binding.ts';
import { runIdOf } from '../../../src/hook/run-id.ts';
import { newRecord } from '../../../src/sources/schedule/current-record.ts';
import { nextDue, planTicks, type Moment } from '../../../src/sources/schedule/plan.ts';
import type { ScheduleTarget } from '../../../src/sources/schedule/targets.ts';
import type { OpenRun, ScheduleRecord } from '../../../src/sources/schedule/record.ts';
import { scheduleBinding } from '../../support/bindings.ts';
import { clockTime } from '../../support/schedule-rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const startMs = Date.parse('2026-05-01T10:00:30Z');

const latest = { missed: { type: 'latest' } } as const;
const all = { missed: { type: 'all', limit: 100 } } as const;

type Fields = Parameters<typeof scheduleBinding>[1];

function targetOf(fields: Fields = {}): ScheduleTarget {
  const binding: ScheduleBinding = scheduleBinding('s', { crontab: 'TZ=UTC * * * * *', ...fields });
  return { hook: 'hook.sh', id: 's', binding };
}

/** The moment at which an operator starts. */
function startAt(nowMs: number, fields: Partial<Moment> = {}): Moment {
  return {
    nowMs,
    presentSinceMs: nowMs,
    isStart: true,
    me: 'me',
    isLeftBehind: ({ holder }) => holder !== 'me',
    ...fields,
  };
}

/** A moment of an operator that has run since `startMs`. */
function goingOnAt(nowMs: number): Moment {
  return { nowMs, presentSinceMs: startMs, isStart: false, me: 'me', isLeftBehind: () => false };
}

function openRun(scheduledAtMs: number, fields: Partial<OpenRun> = {}): OpenRun {
  const runId = runIdOf('hook.sh', 's', scheduledAtMs);
  return {
    runId,
    scheduledAtMs,
    reason: 'tick',
    state: 'running',
    attempts: 1,
    holder: 'another',
    heartbeatMs: 0,
    ...fields,
  };
}

function shown(runs: readonly OpenRun[]): readonly string[] {
  return runs.map(({ reason, scheduledAtMs, attempts }) => `${reason} ${clockTime(scheduledAtMs)} ${attempts}`);
}

/** The plan of a start five seconds after the last of `ticks` ticks, one a minute, that came since the record began. */
function afterDowntime(ticks: number, fields: Fields) {
  const target = targetOf(fields);
  const nowMs = startMs - 30_000 + ticks * MINUTE_MS + 5000;
  return planTicks(newRecord(target, startMs), target, startAt(nowMs));
}

describe('the first start', () => {
  it.each([{}, latest, all])('misses nothing: %j', (fields) => {
    const plan = planTicks(undefined, targetOf(fields), startAt(startMs));

    expect(plan).toMatchObject({ runs: [], missed: 0, skipped: 0, replaced: [] });
    expect(plan.record).toMatchObject({ sinceMs: startMs, coveredUntilMs: startMs, open: [] });
  });
});

describe('a downtime', () => {
  it.each([
    [1, 1, 0],
    [2, 1, 1],
    [100, 1, 99],
    [101, 1, 100],
    [10_000, 1, 9999],
  ])('of %d ticks, the last just now: skip and latest run %d and miss %d', (ticks, runs, missed) => {
    for (const fields of [{}, latest]) {
      const plan = afterDowntime(ticks, fields);

      expect(plan).toMatchObject({ missed, isMissedAtLeast: false });
      expect(shown(plan.runs)).toEqual([`tick ${clockTime(startMs - 30_000 + ticks * MINUTE_MS)} 0`].slice(0, runs));
      expect(plan.record.missed).toBe(missed);
    }
  });

  it.each([
    [1, 1, 0],
    [2, 2, 0],
    [100, 100, 0],
    [101, 100, 1],
    [10_000, 100, 9900],
  ])('of %d ticks: all runs the last %d, oldest first, and misses %d', (ticks, runs, missed) => {
    const plan = afterDowntime(ticks, all);

    const expected = Array.from(
      { length: runs },
      (_, index) => startMs - 30_000 + (ticks - runs + index + 1) * MINUTE_MS,
    );
    expect(plan.runs.map(({ scheduledAtMs }) => scheduledAtMs)).toEqual(expected);
    expect(plan.missed).toBe(missed);
  });

  it.each([
    ['skip', {}, 1],
    ['latest', latest, 1],
    ['all', all, 100],
  ])('of 100,000 ticks takes less than 1 s of CPU time: %s', (_policy, fields, runs) => {
    const startedAt = process.cpuUsage();

    const plan = afterDowntime(100_000, fields);

    expect(process.cpuUsage(startedAt).user).toBeLessThan(1_000_000);
    expect(plan.runs).toHaveLength(runs);
    expect(plan.runs.at(-1)?.scheduledAtMs).toBe(startMs - 30_000 + 100_000 * MINUTE_MS);
    expect(plan).toMatchObject({ missed: 10_000 - runs, isMissedAtLeast: true });
  });

  it('that is long over leaves nothing to run with skip, and the last one with latest', () => {
    const fields = { crontab: 'TZ=UTC 0 2 * * *' };
    const nowMs = startMs + 72 * HOUR_MS;
    const plans = [fields, { ...fields, ...latest }].map((one) =>
      planTicks(newRecord(targetOf(one), startMs), targetOf(one), startAt(nowMs)),
    );

    expect(plans.map(({ runs }) => shown(runs))).toEqual([[], ['catch-up 2026-05-04T02:00:00 0']]);
    expect(plans.map(({ missed }) => missed)).toEqual([3, 2]);
    expect(plans.map(({ record }) => clockTime(record.coveredUntilMs))).toEqual([
      '2026-05-04T02:00:00',
      '2026-05-04T02:00:00',
    ]);
  });

  it('leaves a tick alone that is later than its deadline', () => {
    const fields = { crontab: 'TZ=UTC 0 2 * * *', ...latest };
    const nowMs = Date.parse('2026-05-02T04:00:00Z');
    const late = targetOf({ ...fields, startingDeadlineMs: 2 * HOUR_MS - 1 });
    const inTime = targetOf({ ...fields, startingDeadlineMs: 2 * HOUR_MS });

    expect(planTicks(newRecord(late, startMs), late, startAt(nowMs))).toMatchObject({ runs: [], missed: 1 });
    expect(planTicks(newRecord(inTime, startMs), inTime, startAt(nowMs)).runs).toHaveLength(1);
  });

  it('of @every counts from the kept anchor, so that a restart does not put it off', () => {
    const target = targetOf({ crontab: '@every 1h', ...latest });
    const record = newRecord(target, startMs);

    const plan = planTicks(record, target, startAt(startMs + 90 * MINUTE_MS));

    expect(shown(plan.runs)).toEqual([`catch-up ${clockTime(startMs + HOUR_MS)} 0`]);
    expect(nextDue(plan.record, target)).toBe(startMs + 2 * HOUR_MS);
  });

  it('of @every that does not make up for it counts from the start', () => {
    const target = targetOf({ crontab: '@every 1h' });
    const nowMs = startMs + 90 * MINUTE_MS;

    const plan = planTicks(newRecord(target, startMs), target, startAt(nowMs));

    expect(plan).toMatchObject({ runs: [], missed: 0 });
    expect(nextDue(plan.record, target)).toBe(nowMs + HOUR_MS);
  });

  it('that ends exactly at a tick runs that tick, and a restart there does not run it again', () => {
    const target = targetOf(latest);
    const tickMs = startMs + 30_000;
    const first = planTicks(newRecord(target, startMs), target, startAt(tickMs));
    const second = planTicks(first.record, target, startAt(tickMs));

    expect(shown(first.runs)).toEqual([`tick ${clockTime(tickMs)} 0`]);
    expect(second).toMatchObject({ runs: [], missed: 0 });
  });

  it('is forgotten when the crontab or the zone changed, and what else is known is not', () => {
    const before = { ...newRecord(targetOf(latest), startMs), lastSucceededMs: startMs - 1, missed: 3 };
    for (const crontab of ['TZ=UTC 5 * * * *', 'TZ=Asia/Tokyo * * * * *', '* * * * *']) {
      const target = targetOf({ crontab, ...latest });
      const nowMs = startMs + 10 * HOUR_MS;

      const plan = planTicks(before, target, startAt(nowMs));

      expect(plan).toMatchObject({ runs: [], missed: 0 });
      expect(plan.record).toMatchObject({
        crontab,
        coveredUntilMs: nowMs,
        lastSucceededMs: startMs - 1,
        missed: 3,
      });
    }
  });
});

describe('a run that its operator left behind', () => {
  const leftMs = startMs - 30_000;
  const nowMs = startMs + 15_000;

  function after(left: readonly OpenRun[], fields: Fields, atMs = nowMs) {
    const target = targetOf(fields);
    const record: ScheduleRecord = { ...newRecord(target, startMs), open: left };
    return planTicks(record, target, startAt(atMs));
  }

  it.each(['running', 'waiting', 'interrupted'] as const)('%s: is run again, with its id', (state) => {
    for (const fields of [latest, all]) {
      const plan = after([openRun(leftMs, { state })], fields);

      expect(plan.runs).toEqual([openRun(leftMs, { state: 'waiting', holder: 'me', heartbeatMs: nowMs })]);
      expect(plan.record.open).toEqual(plan.runs);
      expect(plan.missed).toBe(0);
    }
  });

  it('is left alone, and counted, where missed ticks are not made up for', () => {
    const plan = after([openRun(leftMs)], {});

    expect(plan).toMatchObject({ runs: [], missed: 1 });
    expect(plan.record.open).toEqual([]);
  });

  it('gives way to a newer tick with latest, and is run before it with all', () => {
    const atMs = startMs + MINUTE_MS;
    const tick = `tick ${clockTime(startMs + 30_000)} 0`;

    expect(shown(after([openRun(leftMs)], latest, atMs).runs)).toEqual([tick]);
    expect(after([openRun(leftMs)], latest, atMs).missed).toBe(1);
    expect(shown(after([openRun(leftMs)], all, atMs).runs)).toEqual([`tick ${clockTime(leftMs)} 1`, tick]);
  });

  it('is lost when its deadline is over', () => {
    const plan = after([openRun(leftMs)], { ...latest, startingDeadlineMs: 40_000 });

    expect(plan).toMatchObject({ runs: [], missed: 1 });
  });

  it('of this very process is left to go on', () => {
    const mine = openRun(leftMs, { holder: 'me' });

    expect(after([mine], latest)).toMatchObject({ runs: [], record: { open: [mine] } });
  });

  it('is looked for at the start alone: another replica may be running it', () => {
    const target = targetOf(latest);
    const record = { ...newRecord(target, startMs), open: [openRun(leftMs)] };

    expect(planTicks(record, target, goingOnAt(nowMs)).record).toBe(record);
  });

  it('waits while the schedule is suspended', () => {
    const target = targetOf(latest);
    const record = { ...newRecord(target, startMs), open: [openRun(leftMs)], isSuspended: true };

    expect(planTicks(record, target, startAt(startMs + HOUR_MS))).toMatchObject({ runs: [], missed: 0, record });
    expect(nextDue(record, target)).toBeUndefined();
  });
});

describe('a tick while an earlier run has not ended', () => {
  const mine = openRun(startMs - 30_000, { holder: 'me' });
  const tickMs = startMs + 30_000;

  function beside(fields: Fields, open: readonly OpenRun[] = [mine]) {
    const target = targetOf(fields);
    return planTicks({ ...newRecord(target, startMs), open }, target, goingOnAt(tickMs + 1));
  }

  it('is queued behind it with queue', () => {
    const plan = beside({ concurrency: 'queue' });

    expect(plan.record.open).toEqual([mine, ...plan.runs]);
    expect(plan.runs).toHaveLength(1);
  });

  it('is skipped with skip, and is not missed', () => {
    const plan = beside({ concurrency: 'skip' });

    expect(plan).toMatchObject({ runs: [], skipped: 1, missed: 0, record: { open: [mine], coveredUntilMs: tickMs } });
  });

  it('ends it with replace', () => {
    const plan = beside({ concurrency: 'replace' });

    expect(plan).toMatchObject({ replaced: [mine], skipped: 0 });
    expect(plan.runs.map(({ scheduledAtMs }) => scheduledAtMs)).toEqual([tickMs]);
  });

  it.each(['skip', 'replace'] as const)('is run with %s when the earlier one has ended', (concurrency) => {
    expect(beside({ concurrency }, [])).toMatchObject({ runs: [{ scheduledAtMs: tickMs }], replaced: [], skipped: 0 });
  });

  it.each(['skip', 'replace'] as const)('of those made up for, %s leaves the newest', (concurrency) => {
    const target = targetOf({ ...all, concurrency });

    const plan = planTicks(newRecord(target, startMs), target, startAt(startMs + 3 * MINUTE_MS));

    expect(plan.runs.map(({ scheduledAtMs }) => scheduledAtMs)).toEqual([tickMs + 2 * MINUTE_MS]);
    expect(plan).toMatchObject({ skipped: 2, missed: 0 });
  });
});

describe('a process that was busy', () => {
  it('runs the last tick late, whatever the policy, and counts the others', () => {
    const target = targetOf({ crontab: 'TZ=UTC 0 * * * *' });
    const plan = planTicks(newRecord(target, startMs), target, goingOnAt(startMs + 150 * MINUTE_MS));

    expect(shown(plan.runs)).toEqual(['catch-up 2026-05-01T12:00:00 0']);
    expect(plan.missed).toBe(1);
  });
});

describe('a clock that goes back', () => {
  it.each([
    ['a minute', {}, MINUTE_MS],
    ['an hour', latest, HOUR_MS],
    ['an hour', all, HOUR_MS],
  ])('by up to %s runs no tick twice: %#', (_limit, fields, backMs) => {
    const target = targetOf(fields);
    const record = newRecord(target, startMs);

    const plan = planTicks(record, target, goingOnAt(startMs - backMs));

    expect(plan).toMatchObject({ record, runs: [] });
    expect(plan.backMs).toBeUndefined();
    expect(nextDue(plan.record, target)).toBe(startMs + 30_000);
  });

  it.each([
    [{}, MINUTE_MS + 1],
    [latest, HOUR_MS + 1],
    [all, HOUR_MS + 1],
  ])('by more starts anew: %#', (fields, backMs) => {
    const target = targetOf(fields);
    const nowMs = startMs - backMs;

    const plan = planTicks({ ...newRecord(target, startMs), missed: 2 }, target, goingOnAt(nowMs));

    expect(plan.backMs).toBe(backMs);
    expect(plan.record).toMatchObject({ coveredUntilMs: nowMs, missed: 2 });
  });
});

describe('jitter', () => {
  const target = targetOf({ crontab: 'TZ=UTC 0 2 * * *', jitterMs: HOUR_MS, ...latest });
  const tickMs = Date.parse('2026-05-02T02:00:00Z');

  it('puts a tick off, always by the same, and the run is still that of the tick', () => {
    const record = newRecord(target, startMs);
    const dueMs = nextDue(record, target) ?? 0;

    expect(dueMs).toBeGreaterThan(tickMs);
    expect(dueMs).toBeLessThan(tickMs + HOUR_MS);
    expect(nextDue(record, target)).toBe(dueMs);
    expect(planTicks(record, target, startAt(dueMs - 1)).runs).toEqual([]);
    expect(shown(planTicks(record, target, startAt(dueMs)).runs)).toEqual([`tick ${clockTime(tickMs)} 0`]);
  });
});
