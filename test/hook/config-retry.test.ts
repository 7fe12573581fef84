import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';

const parse = (config: unknown) =>
  parseConfig(JSON.stringify({ configVersion: 'v1', ...Object(config) }), () => undefined);

const bindingsOf = (config: unknown) => {
  const parsed = parse(config);
  return parsed.type === 'valid' ? parsed.bindings : parsed.issues;
};

const issuesOf = (config: unknown): readonly string[] => {
  const parsed = parse(config);
  return parsed.type === 'invalid' ? parsed.issues.map(({ path, message }) => `${path}: ${message}`) : [];
};

describe('a retry rule', () => {
  it('is read with its defaults', () => {
    const retry = { max: 3, backoff: { first: '1s' }, deadline: '2h' };

    expect(bindingsOf({ schedule: [{ crontab: '@daily', retry }] })).toMatchObject([
      {
        retry: {
          max: 3,
          backoff: { firstMs: 1000, factor: 2, maxMs: 300_000, jitter: 0.2 },
          deadlineMs: 7_200_000,
          onExhausted: 'dead',
        },
      },
    ]);
  });

  it.each([
    ['a first delay above the default limit', { first: '10m' }, { firstMs: 600_000, maxMs: 600_000 }],
    ['a limit below the default first delay', { max: '2s' }, { firstMs: 2000, maxMs: 2000 }],
  ])('fits its defaults to %s', (_what, backoff, expected) => {
    expect(bindingsOf({ kubernetes: [{ kind: 'Pod', retry: { backoff } }] })).toMatchObject([
      { retry: { backoff: expected } },
    ]);
  });

  it('of the settings is that of each binding without its own', () => {
    const bindings = bindingsOf({
      settings: { retry: { max: 7 } },
      schedule: [{ crontab: '@daily' }],
      kubernetes: [{ kind: 'Pod', retry: { max: 2, onExhausted: 'drop' } }],
    });

    expect(bindings).toMatchObject([
      { retry: { max: 7, onExhausted: 'dead' } },
      { retry: { max: 2, onExhausted: 'drop' } },
    ]);
  });

  it('says all that is wrong with it', () => {
    const retry = {
      max: 0,
      backoff: { first: '10s', max: '1s', factor: 0.5, jitter: 2 },
      deadline: '0s',
      onExhausted: 'no',
    };

    expect(issuesOf({ kubernetes: [{ kind: 'Pod', retry }] })).toEqual([
      'kubernetes[0].retry.max: got 0, expected a whole number from 1 to 1000000',
      'kubernetes[0].retry.backoff.factor: got 0.5, expected a number from 1 to 100',
      'kubernetes[0].retry.backoff.jitter: got 2, expected a number from 0 to 1',
      'kubernetes[0].retry.backoff.max: is shorter than "first", expected as long or longer',
      'kubernetes[0].retry.deadline: got "0s", expected a Go duration above zero such as "30s"',
      'kubernetes[0].retry.onExhausted: got "no", expected one of dead, block, drop (kubernetes.retry.onExhausted should be one of [dead block drop])',
    ]);
  });

  it.each([
    [
      { retry: {} },
      'retry: got {}, expected some of max, backoff, deadline, onExhausted (kubernetes.retry should have at least 1 properties)',
    ],
    [{ retry: { onExhausted: 'drop' } }, 'retry.onExhausted: has an effect only with "max" or "deadline"'],
    [
      { retry: { max: 1 }, allowFailure: true },
      'retry: has no effect with "allowFailure: true", which runs a task once; expected one of the two',
    ],
  ])('is wrong without effect: %j', (fields, expected) => {
    expect(issuesOf({ kubernetes: [{ kind: 'Pod', ...fields }] })).toEqual([`kubernetes[0].${expected}`]);
  });
});

describe('an order for each object', () => {
  it('is read with its parallelism', () => {
    const binding = { kind: 'Pod', concurrency: 'byObject', parallelism: 8 };

    expect(bindingsOf({ kubernetes: [binding] })).toMatchObject([{ concurrency: 'byObject', parallelism: 8 }]);
  });

  it.each([
    [{ parallelism: 8 }, ['parallelism: has an effect only with "concurrency: byObject"']],
    [{ concurrency: 'byObject', parallelism: 101 }, ['parallelism: got 101, expected a whole number from 1 to 100']],
    [
      { concurrency: 'byObject', queue: 'main', group: 'g' },
      [
        'queue: a queue has its tasks run one after the other, but with "concurrency: byObject" each object has an order of its own; expected one of the two',
        'group: a group has one run serve events of several objects, but with "concurrency: byObject" each object runs by itself; expected one of the two',
      ],
    ],
  ])('is wrong where it cannot be: %j', (fields, expected) => {
    const lines = expected.map((line) => `kubernetes[0].${line}`);

    expect(issuesOf({ kubernetes: [{ kind: 'Pod', ...fields }] })).toEqual(lines);
  });
});

describe('a burst that settles', () => {
  it('is acted on at the latest after ten times its quiet, unless the config says', () => {
    const bindings = bindingsOf({
      kubernetes: [
        { kind: 'Pod', settle: { quiet: '30s' } },
        { kind: 'Pod', settle: { quiet: '30s', max: '1m' } },
      ],
    });

    expect(bindings).toMatchObject([
      { settle: { quietMs: 30_000, maxMs: 300_000 } },
      { settle: { quietMs: 30_000, maxMs: 60_000 } },
    ]);
  });

  it.each([
    [{}, 'settle.quiet: missing, expected a Go duration such as "30s" (kubernetes.settle.quiet is required)'],
    [{ quiet: '1m', max: '1s' }, 'settle.max: is shorter than "quiet", expected as long or longer'],
  ])('needs a quiet that is no longer than its limit: %j', (settle, expected) => {
    expect(issuesOf({ kubernetes: [{ kind: 'Pod', settle }] })).toEqual([`kubernetes[0].${expected}`]);
  });
});

it('a schedule is suspended after 1 to 1000 failures', () => {
  expect(bindingsOf({ schedule: [{ crontab: '@daily', suspendAfter: 5 }] })).toMatchObject([{ suspendAfter: 5 }]);
  expect(issuesOf({ schedule: [{ crontab: '@daily', suspendAfter: 1001 }] })).toEqual([
    'schedule[0].suspendAfter: got 1001, expected a whole number from 1 to 1000',
  ]);
});
