import { describe, expect, it } from 'vitest';
import { Queue } from '../../src/queue/queue.ts';
import { Queues } from '../../src/queue/queues.ts';

describe('named queues', () => {
  it('are made when first asked for, once', () => {
    const { queues } = rig(async () => {});

    const main = queues.get({ name: 'main' });
    const other = queues.get({ name: 'other' });

    expect(queues.get({ name: 'main' })).toBe(main);
    expect(queues.all).toEqual([main, other]);
  });

  it('run side by side, so that one that is stuck does not hold another', async () => {
    const stuck = Promise.withResolvers<void>();
    const { queues, done, stop } = rig(async (task) => {
      if (task === 'stuck') await stuck.promise;
    });
    queues.get({ name: 'a' }).push('stuck');
    queues.get({ name: 'b' }).push('free');

    await done('free');

    expect(queues.length).toBe(1);
    stuck.resolve();
    await stop();
  });

  it('are worked at once when made while running', async () => {
    const { queues, done, stop } = rig(async () => {});

    queues.get({ name: 'late' }).push('task');

    await done('task');
    await stop();
  });

  it('wait for every running task at abort', async () => {
    const slow = Promise.withResolvers<void>();
    const { queues, done, stop } = rig(async (task) => {
      if (task === 'slow') await slow.promise;
    });
    queues.get({ name: 'a' }).push('slow');
    queues.get({ name: 'b' }).push('quick');
    await done('quick');

    const stopped = stop();
    slow.resolve();
    await stopped;

    expect(queues.length).toBe(0);
  });

  it('let a crash of one queue out', async () => {
    const queues = new Queues<string>(
      ({ name }) =>
        new Queue({
          name,
          handle: async () => {
            throw new TypeError('a bug');
          },
          combine: (tasks) => tasks,
        }),
    );
    queues.get({ name: 'healthy' });
    queues.get({ name: 'main' }).push('task');

    await expect(queues.run(new AbortController().signal)).rejects.toThrow('a bug');
  });
});

function rig(handle: (task: string) => Promise<void>) {
  const finished = new Map<string, PromiseWithResolvers<void>>();
  const finish = (task: string): PromiseWithResolvers<void> => {
    const known = finished.get(task) ?? Promise.withResolvers<void>();
    finished.set(task, known);
    return known;
  };
  const queues = new Queues<string>(
    ({ name }) =>
      new Queue({
        name,
        handle: async (task) => {
          await handle(task);
          finish(task).resolve();
          return { type: 'done' };
        },
        combine: (tasks) => tasks,
      }),
  );
  const controller = new AbortController();
  const running = queues.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
  };
  return { queues, done: async (task: string) => finish(task).promise, stop };
}
