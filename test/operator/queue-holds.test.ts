import { expect, it } from 'vitest';
import { queuesText } from '../../src/cli/views/status-text.ts';
import type { Hook } from '../../src/hook/binding.ts';
import type { Task } from '../../src/hook/task.ts';
import { queueViews } from '../../src/operator/control/queue-views.ts';
import { LongRuns } from '../../src/operator/queues/long-runs.ts';
import { againText, holdOf } from '../../src/operator/queues/queue-holds.ts';
import { aborted } from '../../src/lib/aborted.ts';
import { Queue } from '../../src/queue/queue.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const pods = kubernetesBinding('pods');
const slow = taskOf(hookWith('slow.sh', [pods]), eventOf(pods, 'a'));
const other = taskOf(hookWith('other.sh', [pods]), eventOf(pods, 'b'));

/** A queue whose first task runs until the end of the test. */
async function busyQueue(...tasks: readonly Task[]) {
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const queue = new Queue<Task>({
    name: 'q',
    handle: async () => {
      begun.resolve();
      await go.promise;
      return { type: 'done' };
    },
    combine: (all) => all,
  });
  const end = new AbortController();
  queue.push(...tasks);
  const running = queue.run(end.signal);
  await begun.promise;
  return {
    queue,
    sinceMs: queue.runningSinceMs ?? 0,
    [Symbol.asyncDispose]: async () => {
      end.abort();
      go.resolve();
      await running;
    },
  };
}

it('a run holds its queue after 10 s, where others wait for it', async () => {
  await using rig = await busyQueue(slow, other);
  const { queue, sinceMs } = rig;

  expect(holdOf(queue, sinceMs + 9999)).toBeUndefined();
  const hold = holdOf(queue, sinceMs + 10_000);

  expect(hold).toMatchObject({ hook: 'slow.sh', attempt: 1, waiting: 1, heldHooks: ['other.sh'] });
  expect(againText({ attempt: 1, runningSinceMs: sinceMs }, sinceMs + 40_000)).toBe('has run for 40s (attempt 1)');
});

it('a task that waits for its rate limit holds its queue after 10 s, where others wait for it', async () => {
  const end = new AbortController();
  const queue = new Queue<Task>({
    name: 'q',
    admit: async (_, signal) => aborted(signal),
    handle: async () => ({ type: 'done' }),
    combine: (all) => all,
  });
  queue.push(slow, other);
  const running = queue.run(end.signal);
  const sinceMs = queue.admittingSinceMs ?? 0;

  expect(holdOf(queue, sinceMs + 9999)).toBeUndefined();
  const hold = holdOf(queue, sinceMs + 10_000);

  expect(hold).toMatchObject({ hook: 'slow.sh', attempt: 1, waiting: 1, heldHooks: ['other.sh'] });
  expect(hold && againText(hold, sinceMs + 40_000)).toBe('has waited for executionMinInterval for 40s (attempt 1)');
  end.abort();
  await running;
});

it.each([
  [{}, 'a worker of the pool gpu'],
  [{ executionMinIntervalMs: 1000 }, 'executionMinInterval or a worker of the pool gpu'],
])('a task that waits for a worker says so, also where it may be its rate limit: %j', async (settings, by) => {
  const end = new AbortController();
  const queue = new Queue<Task>({
    name: 'q',
    admit: async (_, signal) => aborted(signal),
    handle: async () => ({ type: 'done' }),
    combine: (all) => all,
  });
  const hook: Hook = {
    ...hookWith('work.sh', [pods]),
    settings: { ...settings, executor: { type: 'workers', pool: 'gpu' } },
  };
  queue.push(taskOf(hook, eventOf(pods, 'a')), other);
  const running = queue.run(end.signal);
  const sinceMs = queue.admittingSinceMs ?? 0;

  const hold = holdOf(queue, sinceMs + 10_000);

  expect(hold && againText(hold, sinceMs + 40_000)).toBe(`has waited for ${by} for 40s (attempt 1)`);
  expect(queueViews([queue])).toMatchObject([{ limitedSince: new Date(sinceMs).toISOString(), limitedBy: by }]);
  expect(queuesText(queueViews([queue]), sinceMs + 5000)).toContain(`${by}, for 5`);
  end.abort();
  await running;
});

it('a run holds nothing where nothing waits', async () => {
  await using rig = await busyQueue(slow);

  expect(holdOf(rig.queue, rig.sinceMs + 3_600_000)).toBeUndefined();
});

it('a run that others wait for is told once, after 60 s, with its time limit', async () => {
  await using rig = await busyQueue(slow, other);
  const log = recordingLogger();
  const runs = new LongRuns(log);

  runs.check([rig.queue], rig.sinceMs + 59_999);
  expect(log.lines).toEqual([]);
  runs.check([rig.queue], rig.sinceMs + 60_000);
  runs.check([rig.queue], rig.sinceMs + 120_000);

  expect(log.lines).toMatchObject([
    { level: 'warn', fields: { hook: 'slow.sh', queue: 'q', waiting: 1, timeLimit: 'none, see settings.timeout' } },
  ]);
});
