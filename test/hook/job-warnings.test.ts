import { describe, expect, it } from 'vitest';
import type { Hook } from '../../src/hook/binding.ts';
import { describeSettings } from '../../src/hook/describe.ts';
import type { JobRule } from '../../src/hook/job-rule.ts';
import { jobWarnings } from '../../src/hook/job-warnings.ts';
import { reconcileBinding, scheduleBinding } from '../support/bindings.ts';

const nowMs = Date.parse('2026-05-01T10:00:07Z');
const JOB: JobRule = {
  type: 'job',
  agent: 'image',
  isSuspended: false,
  startTimeoutMs: 120_000,
  keepFailedMs: 3_600_000,
};

function warningsOf(bindings: Hook['bindings'], settings: Hook['settings'] = { executor: JOB }): readonly string[] {
  return jobWarnings({ bindings, settings }, nowMs);
}

const COSTS = 'each run is a Job, which takes seconds to start and costs the API server 15 writes';
const ADVICE = 'run it in the operator, or set settings.executionMinInterval';

describe('jobWarnings', () => {
  it.each(['*/10 * * * * *', '@every 10s', '*/10 * 3 * * *'])(
    'of the crontab %s, which fires every 10 s',
    (crontab) => {
      expect(warningsOf([scheduleBinding('tick', { crontab })])).toEqual([
        `schedule tick: ${COSTS}, and its crontab fires every 10s: ${ADVICE}`,
      ]);
    },
  );

  it.each(['* * * * *', '@every 1m', '0 3 * * *', '0,30 0 3 * * *'])('of the crontab %s there are none', (crontab) => {
    expect(warningsOf([scheduleBinding('tick', { crontab })])).toEqual([]);
  });

  it('of a reconcile binding that looks at each object more often than once a minute', () => {
    expect(warningsOf([reconcileBinding('sites', { resyncPeriodMs: 30_000 })])).toEqual([
      `reconcile sites: ${COSTS}, and resyncPeriod brings one for each object every 30s: ${ADVICE}`,
    ]);
    expect(warningsOf([reconcileBinding('sites', { resyncPeriodMs: 60_000 }), reconcileBinding('more')])).toEqual([]);
  });

  it('are none where runs are rare by settings, or are no Jobs', () => {
    const often = [scheduleBinding('tick', { crontab: '*/10 * * * * *' })];

    expect(warningsOf(often, { executor: JOB, executionMinIntervalMs: 60_000 })).toEqual([]);
    expect(warningsOf(often, { executor: JOB, executionMinIntervalMs: 30_000 })).toHaveLength(1);
    expect(warningsOf(often, {})).toEqual([]);
  });
});

describe('the settings of a hook', () => {
  it.each<[Partial<JobRule>, string]>([
    [{}, 'executor job'],
    [{ image: 'postgres:17', agent: 'sidecar', namespace: 'db' }, 'executor job of postgres:17 with a sidecar in db'],
    [{ isSuspended: true }, 'executor job suspended'],
    [{ resources: { limits: { memory: '4Gi' } }, namespace: 'db' }, 'executor job in db up to 4Gi of memory'],
    [{ resources: { requests: { memory: '4Gi' } } }, 'executor job'],
    [
      {
        resources: { limits: { memory: '4Gi' } },
        template: { spec: { containers: [{ name: 'hook', resources: { limits: { memory: 1024 } } }] } },
      },
      'executor job up to 1024 of memory',
    ],
  ])('tell with %j that its runs are Jobs', (rule, text) => {
    expect(describeSettings({ timeoutMs: 60_000, executor: { ...JOB, ...rule } })).toBe(`timeout 1m, ${text}`);
  });
});
