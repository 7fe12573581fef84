import { describe, expect, it } from 'vitest';
import { describeBindings } from '../../src/hook/describe.ts';
import {
  hookWith,
  kubernetesBinding,
  onStartupBinding,
  reconcileBinding,
  scheduleBinding,
} from '../support/bindings.ts';

const now = Date.parse('2026-05-01T10:00:30Z');

describe('describeBindings', () => {
  it('has a line for each binding, schedules with their next run', () => {
    const hook = hookWith('hook', [
      onStartupBinding,
      scheduleBinding('nightly', { crontab: 'TZ=UTC 0 3 * * *', queue: 'slow', group: 'g' }),
      kubernetesBinding('pods'),
    ]);

    expect(describeBindings(hook, now)).toEqual([
      'onStartup 1',
      'schedule nightly: "TZ=UTC 0 3 * * *", next 2026-05-02T03:00:00.000Z, queue slow, group g',
      'kubernetes pods: Pod, all namespaces, Added Modified Deleted',
    ]);
  });

  it('tells how the objects of a binding are divided where the config says it', () => {
    const hook = hookWith('hook', [
      kubernetesBinding('pods', { shard: 'uid' }),
      reconcileBinding('sites', { shard: 'none' }),
    ]);

    expect(describeBindings(hook, now)).toEqual([
      'kubernetes pods: Pod, all namespaces, Added Modified Deleted, shard uid',
      'reconcile sites: example.com/v1 WebSite, all namespaces, 4 at a time, shard none',
    ]);
  });

  it('tells how a schedule is other than usual', () => {
    const berlin = { ...scheduleBinding('x', { crontab: '0 3 * * *' }).crontab, timeZone: 'Europe/Berlin' };
    const schedule = scheduleBinding('nightly', {
      concurrency: 'skip',
      missed: { type: 'latest' },
      startingDeadlineMs: 3_600_000,
      jitterMs: 600_000,
    });

    expect(describeBindings(hookWith('hook', [{ ...schedule, crontab: berlin }]), now)).toEqual([
      'schedule nightly: "0 3 * * *" in Europe/Berlin, next 2026-05-02T01:06:16.000Z, concurrency skip, missed latest, ' +
        'no later than 1h, jitter up to 10m',
    ]);
  });

  it('tells what a kubernetes binding watches', () => {
    const labelSelector = { matchLabels: { a: 'b' } };
    const hook = hookWith('hook', [
      kubernetesBinding('one', {
        apiVersion: 'v1',
        names: ['a', 'b'],
        namespace: { type: 'names', names: ['x', 'y'] },
        executeHookOnEvent: [],
        filter: { type: 'jq', expression: '{\n  a: .b\n}' },
      }),
      kubernetesBinding('two', {
        labelSelector,
        fieldSelector: [{ field: 'status.phase', operator: '=', value: 'Running' }],
        namespace: { type: 'labels', labelSelector },
        executeHookOnEvent: ['Deleted'],
      }),
    ]);

    expect(describeBindings(hook, now)).toEqual([
      'kubernetes one: v1 Pod a b, in x y, no events, jqFilter { a: .b }',
      'kubernetes two: Pod, namespaces by label, by label, by field, Deleted',
    ]);
  });

  it('tells what happens when runs fail, and which objects run side by side', () => {
    const backoff = { firstMs: 1000, factor: 2, maxMs: 300_000, jitter: 0.2 };
    const retry = { max: 3, backoff, deadlineMs: 3_600_000, onExhausted: 'dead' } as const;
    const settle = { quietMs: 30_000, maxMs: 300_000 };
    const hook = hookWith('hook', [
      scheduleBinding('often', { crontab: 'TZ=UTC 0 3 * * *', suspendAfter: 5, retry }),
      kubernetesBinding('pods', { concurrency: 'byObject', settle }),
    ]);

    expect(describeBindings(hook, now)).toEqual([
      'schedule often: "TZ=UTC 0 3 * * *", next 2026-05-02T03:00:00.000Z, suspended after 5 failed in a row, ' +
        'retry after 1s to 5m, 3 attempts, for 1h, then dead',
      'kubernetes pods: Pod, all namespaces, Added Modified Deleted, settled for 30s, at most 5m, 4 objects side by side',
    ]);
  });
});
