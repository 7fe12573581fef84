import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/hook/task.ts';
import { afterRun, countedOutcome, retried, type Next } from '../../src/run/policy.ts';
import { newRun, type FailedRun, type RunOutcome } from '../../src/run/run.ts';
import type { RetryRule } from '../../src/hook/binding.ts';
import { hookWith, kubernetesBinding, onStartupBinding } from '../support/bindings.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const pods = kubernetesBinding('pods');
const hook = hookWith('hook.sh', [pods]);
const event = (fields: Partial<Task> = {}): Task => taskOf(hook, eventOf(pods, 'web'), fields);
const synchronization = (fields: Partial<Task> = {}): Task =>
  taskOf(hook, { type: 'synchronization', binding: pods }, fields);

const error = new Error('no');
const failed = (by: FailedRun['by'], fields: Partial<FailedRun> = {}): FailedRun => ({
  type: 'failed',
  by,
  error,
  ...fields,
});
const succeeded: RunOutcome = { type: 'succeeded', cost: { durationMs: 1, usage: {} }, applied: [] };

const next = (task: Task, outcome: RunOutcome): Next =>
  afterRun(newRun(task, 'main'), outcome, { random: () => 0, nowMs: 0 });

describe('after a run', () => {
  it.each<[string, Task, RunOutcome, Next]>([
    ['succeeded', event(), succeeded, { type: 'done' }],
    ['was replaced', event(), { type: 'replaced' }, { type: 'drop', why: 'replaced' }],
    ['was cut short by a reload', event(), { type: 'interrupted', by: 'reload', error }, { type: 'drop', why: 'gone' }],
    ['was cut short by the shutdown', event(), { type: 'interrupted', by: 'shutdown', error }, { type: 'keep' }],
    ['may fail', event({ allowFailure: true }), failed('hook'), { type: 'drop', why: 'allowed' }],
    [
      'may fail, by its environment',
      event({ allowFailure: true }),
      failed('environment'),
      { type: 'drop', why: 'allowed' },
    ],
    ['failed by the hook', event(), failed('hook'), { type: 'retry', at: 'head', delayMs: 5000 }],
    ['failed by its output', event(), failed('output'), { type: 'retry', at: 'head', delayMs: 5000 }],
    ['failed by a patch', event(), failed('patch'), { type: 'retry', at: 'head', delayMs: 5000 }],
    ['failed by its environment', event(), failed('environment'), { type: 'retry', at: 'head', delayMs: 500 }],
    ['failed, a Synchronization', synchronization(), failed('hook'), { type: 'retry', at: 'later', delayMs: 5000 }],
  ])('that %s', (_what, task, outcome, expected) => {
    expect(next(task, outcome)).toEqual(expected);
  });

  it('the API server is waited for as long as it says, if that is longer', () => {
    const delays = [0, 400, 1000].map((retryAfterMs) => next(event(), failed('environment', { retryAfterMs })));

    expect(delays).toMatchObject([{ delayMs: 500 }, { delayMs: 500 }, { delayMs: 1000 }]);
  });

  it('each failure of the hook makes the delay longer, up to 32 s', () => {
    let task = event();
    const delays: number[] = [];
    for (let attempts = 0; attempts < 8; attempts += 1) {
      const after = next(task, failed('hook'));
      if (after.type === 'retry') delays.push(after.delayMs);
      task = retried(task, failed('hook'), 1000);
    }

    expect(delays).toEqual([5000, 6000, 7000, 9000, 13_000, 21_000, 32_000, 32_000]);
    expect(task).toEqual({ ...event(), failures: 8, ownFailures: 8, queuedAtMs: 1000 });
  });

  it('failures of the environment do not make the delay of the hook longer', () => {
    let task = event();
    for (let attempts = 0; attempts < 60; attempts += 1) task = retried(task, failed('environment'), 0);

    expect(task).toMatchObject({ failures: 60, ownFailures: 0 });
    expect(next(task, failed('hook'))).toMatchObject({ delayMs: 5000 });
    expect(next(task, failed('environment'))).toMatchObject({ delayMs: 2000 });
  });
});

const COST = { durationMs: 1, usage: {} };
const later = (retryAfterMs?: number): RunOutcome => ({
  type: 'later',
  cost: COST,
  applied: [],
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});
const permanent = failed('hook', { isPermanent: true });
const startup = taskOf(hook, { type: 'onStartup', binding: onStartupBinding });
const HOUR_MS = 3_600_000;

/** A task of a binding with a retry rule. */
const ruled = (rule: Partial<RetryRule>, fields: Partial<Task> = {}): Task =>
  taskOf(hook, eventOf(kubernetesBinding('pods', { retry: { onExhausted: 'dead', ...rule } }), 'web'), fields);

const at = (nowMs: number, task: Task, outcome: RunOutcome): Next => {
  const run = newRun(task, 'main');
  return afterRun(run, countedOutcome(run, outcome, nowMs), { random: () => 0, nowMs });
};

describe('what is not yet to be done', () => {
  it.each<[string, Task, RunOutcome, Next]>([
    ['leaves the head for 30 s', event(), later(), { type: 'retry', at: 'later', delayMs: 30_000 }],
    ['waits as long as its hook says', event(), later(5), { type: 'retry', at: 'later', delayMs: 5 }],
    ['waits no longer than until its deadline', event(), later(9e9), { type: 'retry', at: 'later', delayMs: HOUR_MS }],
    [
      'has the deadline of its rule',
      ruled({ deadlineMs: 10_000 }),
      later(),
      { type: 'retry', at: 'later', delayMs: 10_000 },
    ],
    ['stays at the head for onStartup', startup, later(), { type: 'retry', at: 'head', delayMs: 30_000 }],
    [
      'is not dropped where failures are',
      event({ allowFailure: true }),
      later(),
      { type: 'retry', at: 'later', delayMs: 30_000 },
    ],
  ])('%s', (_what, task, outcome, expected) => {
    expect(at(0, task, outcome)).toEqual(expected);
  });

  it('counts as a failure after 1 h, or the deadline of its rule', () => {
    expect(at(HOUR_MS - 1, event(), later())).toMatchObject({ at: 'later', delayMs: 1 });
    expect(at(HOUR_MS, event(), later())).toEqual({ type: 'retry', at: 'head', delayMs: 5000 });
    expect(at(HOUR_MS, event({ allowFailure: true }), later())).toEqual({ type: 'drop', why: 'allowed' });
    expect(at(1000, ruled({ deadlineMs: 1000, onExhausted: 'drop' }), later())).toEqual({
      type: 'drop',
      why: 'exhausted',
    });
  });

  it('counts no attempt, and hands on what the hook put out', () => {
    const result = { conditions: [], events: [], contexts: new Map(), output: '{"step":2}' };
    const task = event({ failures: 2, ownFailures: 1 });

    expect(retried(task, { type: 'later', cost: COST, applied: [], result }, 7)).toEqual({
      ...task,
      queuedAtMs: 7,
      previous: '{"step":2}',
    });
  });
});

describe('a permanent failure', () => {
  it.each<[string, Task, Next]>([
    ['is given up', event(), { type: 'dead', why: 'permanent' }],
    ['of a Synchronization is given up', synchronization(), { type: 'dead', why: 'permanent' }],
    ['of onStartup holds back what follows', startup, { type: 'retry', at: 'head', delayMs: 5000 }],
    ['that is allowed is dropped', event({ allowFailure: true }), { type: 'drop', why: 'allowed' }],
  ])('%s', (_what, task, expected) => {
    expect(at(0, task, permanent)).toEqual(expected);
  });
});

describe('a retry rule', () => {
  it.each(['dead', 'drop', 'block'] as const)('lets 3 attempts fail, then: %s', (onExhausted) => {
    let task = ruled({ max: 3, onExhausted });
    const types: string[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      types.push(at(0, task, failed('hook')).type);
      task = retried(task, failed('hook'), 0);
    }

    expect(types).toEqual(['retry', 'retry', onExhausted === 'block' ? 'retry' : onExhausted]);
  });

  it('does not count failures of the environment, but its deadline holds for them too', () => {
    const task = ruled({ max: 1, deadlineMs: 60_000 }, { failures: 50 });

    expect(at(59_999, task, failed('environment'))).toEqual({ type: 'retry', at: 'head', delayMs: 2000 });
    expect(at(60_000, task, failed('environment'))).toEqual({ type: 'dead', why: 'exhausted' });
  });

  it('makes delays that grow by its factor up to its limit, with a random part that makes them shorter', () => {
    const backoff = { firstMs: 1000, factor: 3, maxMs: 20_000, jitter: 0.5 };
    const delays = (random: number): readonly unknown[] =>
      [0, 1, 2, 3, 1000].map((ownFailures) => {
        const run = newRun(ruled({ backoff }, { ownFailures }), 'main');
        const after = afterRun(run, failed('hook'), { random: () => random, nowMs: 0 });
        return after.type === 'retry' && after.delayMs;
      });

    expect(delays(0)).toEqual([1000, 3000, 9000, 20_000, 20_000]);
    expect(delays(1)).toEqual([500, 1500, 4500, 10_000, 10_000]);
  });

  it('ends the last delay at its deadline', () => {
    const task = ruled({ deadlineMs: 8000 }, { ownFailures: 4 });

    expect(at(1000, task, failed('hook'))).toMatchObject({ delayMs: 7000 });
  });

  it('gives way to the delay that a hook asks for, which is 1 h at most without a deadline', () => {
    expect(at(0, event(), failed('hook', { retryAfterMs: 90_000 }))).toMatchObject({ delayMs: 90_000 });
    expect(at(0, event(), failed('hook', { retryAfterMs: 9e9 }))).toMatchObject({ delayMs: HOUR_MS });
    expect(at(0, ruled({ deadlineMs: 5000 }), failed('hook', { retryAfterMs: 9e9 }))).toMatchObject({ delayMs: 5000 });
  });
});

it('a run that succeeded may ask to come again', () => {
  const result = { conditions: [], events: [], contexts: new Map(), retryAfterMs: 1000 };

  expect(at(0, event(), { type: 'succeeded', cost: COST, applied: [], result })).toEqual({
    type: 'done',
    againInMs: 1000,
  });
});
