import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/hook/task.ts';
import { afterRun, retried, type Next } from '../../src/run/policy.ts';
import { newRun, type FailedRun, type RunOutcome } from '../../src/run/run.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
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
