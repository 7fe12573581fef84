import { describe, expect, it } from 'vitest';
import { kubernetes, onStartup, schedule } from '../../src/sdk/bindings.ts';
import { toConfig } from '../../src/sdk/config.ts';

describe('toConfig', () => {
  it('passes on what a schedule says of time', () => {
    const options = {
      timeZone: 'Europe/Berlin',
      concurrency: 'replace',
      missed: 'all',
      missedLimit: 3,
      startingDeadline: '1h',
      jitter: '10m',
    } as const;

    expect(toConfig({ nightly: schedule('0 3 * * *', options) }, undefined)).toEqual({
      configVersion: 'v1',
      schedule: [{ name: 'nightly', crontab: '0 3 * * *', ...options }],
    });
  });

  it('passes on how runs are ordered and tried again', () => {
    const retry = { max: 3, backoff: { first: '1s' }, deadline: '1h', onExhausted: 'drop' } as const;
    const order = { concurrency: 'byObject', parallelism: 8, settle: { quiet: '30s' }, retry } as const;
    const bindings = { nightly: schedule('@daily', { suspendAfter: 5 }), pods: kubernetes({ kind: 'Pod', ...order }) };

    expect(toConfig(bindings, { retry: { max: 9 } })).toMatchObject({
      schedule: [{ suspendAfter: 5 }],
      kubernetes: [order],
      settings: { retry: { max: 9 } },
    });
  });

  it('names bindings by their keys, and gives each the snapshots of all kubernetes bindings', () => {
    const config = toConfig(
      {
        pods: kubernetes({ apiVersion: 'v1', kind: 'Pod', queue: 'pods' }),
        start: onStartup(10),
        nightly: schedule('0 3 * * *', { allowFailure: true }),
        nodes: kubernetes({ kind: 'Node', executeHookOnEvent: [] }),
      },
      { timeout: '30s' },
    );

    const includeSnapshotsFrom = ['pods', 'nodes'];
    expect(config).toEqual({
      configVersion: 'v1',
      onStartup: 10,
      schedule: [{ name: 'nightly', crontab: '0 3 * * *', allowFailure: true, includeSnapshotsFrom }],
      kubernetes: [
        {
          name: 'pods',
          apiVersion: 'v1',
          kind: 'Pod',
          queue: 'pods',
          keepFullObjectsInMemory: true,
          includeSnapshotsFrom,
        },
        { name: 'nodes', kind: 'Node', executeHookOnEvent: [], keepFullObjectsInMemory: true, includeSnapshotsFrom },
      ],
      settings: { timeout: '30s' },
    });
  });

  it('leaves out what is not declared', () => {
    expect(toConfig({ nightly: schedule('@daily') }, undefined)).toEqual({
      configVersion: 'v1',
      schedule: [{ name: 'nightly', crontab: '@daily' }],
    });
  });

  it.each([
    ['with a filter, only its results', {}, false],
    ['with a filter, whole objects too where asked for', { keepFullObjectsInMemory: true } as const, true],
  ])('keeps in memory: %s', (_law, options, kept) => {
    const pods = { type: 'kubernetes', options: { kind: 'Pod', jqFilter: '.spec', ...options } } as const;

    expect(toConfig({ pods }, undefined)).toMatchObject({ kubernetes: [{ keepFullObjectsInMemory: kept }] });
  });

  it('refuses a second onStartup binding', () => {
    expect(() => toConfig({ one: onStartup(1), two: onStartup(2) }, undefined)).toThrow(
      'a hook has at most one onStartup binding',
    );
  });
});
