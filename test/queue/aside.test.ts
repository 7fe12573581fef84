import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Queue } from '../../src/queue/queue.ts';

/** A task about some objects, with the numbers of what happened to them. */
interface Item {
  readonly events: readonly { readonly key: string; readonly id: number }[];
  readonly isAnew?: boolean;
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

const item = (key: string, id: number): Item => ({ events: [{ key, id }] });

describe('a task that is set aside', () => {
  it('waits beside its queue, which goes on, and is queued again when its time has come', async () => {
    const { queue, log, start } = rig(({ events }) => (events[0]?.id === 1 ? 5000 : undefined), 1);
    const stop = start();
    queue.push(item('a', 1), item('b', 2));
    await vi.advanceTimersByTimeAsync(10);

    expect(log).toEqual(['0 a1', '0 b2']);
    expect(queue.length).toBe(1);
    expect(queue.tasks).toEqual([item('a', 1)]);
    expect(queue.heads).toEqual([{ state: 'delayed', task: item('a', 1), untilMs: 5000, behind: [] }]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(log.slice(2)).toEqual(['5000 a1']);
    expect(queue.length).toBe(0);
    await stop();
  });

  it('is queued at once, in front of a new one about the same object, as if it had just come', async () => {
    const { queue, log, told, start } = rig(({ events }) => (events[0]?.id === 1 ? 5000 : undefined), 1);
    const stop = start();
    queue.push(item('a', 1));
    await vi.advanceTimersByTimeAsync(10);

    queue.push(item('b', 2), item('a', 3));
    await vi.advanceTimersByTimeAsync(0);

    expect(log.slice(1)).toEqual(['10 b2', '10 a1', '10 a3']);
    expect(told[2]).toEqual({ ...item('a', 1), isAnew: true });
    await stop();
  });

  it('does not wait where one about the same object waits in the queue already', async () => {
    const { queue, log, start } = rig(({ events }) => (events[0]?.id === 1 ? 5000 : undefined), 1);
    const stop = start();
    queue.push(item('a', 1), item('b', 2), item('a', 3));
    await vi.advanceTimersByTimeAsync(0);

    expect(log).toEqual(['0 a1', '0 b2', '0 a1', '0 a3']);
    await stop();
  });

  it('can be dropped, and leaves no timer when the queue ends', async () => {
    const { queue, lengths, start } = rig(() => 5000);
    const stop = start();
    queue.push(item('a', 1), item('b', 2));
    await vi.advanceTimersByTimeAsync(0);

    expect(queue.drop(({ events }) => events[0]?.key === 'a')).toEqual([item('a', 1)]);

    expect(lengths.at(-1)).toBe(1);
    await stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(queue.tasks).toEqual([item('b', 2)]);
  });

  it('is neither lost nor repeated, and never overtaken by what happened to its object later', async () => {
    const step = fc.oneof(
      fc.record({
        type: fc.constant('push' as const),
        keys: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ type: fc.constant('drop' as const), key: fc.nat(3) }),
      fc.record({ type: fc.constant('wait' as const), ms: fc.nat(30) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.infiniteStream(fc.nat(20)), async (steps, delays) => {
        let left = 100;
        const { queue, done, problems, start } = rig(() => {
          const delayMs = delays.next().value ?? 0;
          left -= 1;
          return left > 0 && delayMs > 7 ? delayMs : undefined;
        }, 100);
        const stop = start();
        const pushed: number[] = [];
        const dropped: number[] = [];
        for (const [index, one] of steps.entries()) {
          if (one.type === 'push') {
            const events = one.keys.map((key, at) => ({ key: `${key}`, id: index * 10 + at }));
            pushed.push(...events.map(({ id }) => id));
            queue.push({ events });
          } else if (one.type === 'drop') {
            const gone = queue.drop(({ events }) => events.some(({ key }) => key === `${one.key}`));
            dropped.push(...gone.flatMap(({ events }) => events.map(({ id }) => id)));
          } else {
            await vi.advanceTimersByTimeAsync(one.ms);
          }
        }
        await vi.advanceTimersByTimeAsync(10_000);

        expect(problems).toEqual([]);
        expect([...done, ...dropped].toSorted((a, b) => a - b)).toEqual(pushed.toSorted((a, b) => a - b));
        expect(queue.length).toBe(0);
        await stop();
      }),
    );
  });
});

/** A queue of tasks; `asideMs` says which are set aside after their run, `times` at most. */
function rig(asideMs: (task: Item) => number | undefined, times = Number.POSITIVE_INFINITY) {
  const log: string[] = [];
  const told: Item[] = [];
  const done: number[] = [];
  const problems: string[] = [];
  const lengths: number[] = [];
  const newest = new Map<string, number>();
  let left = times;
  const queue: Queue<Item> = new Queue<Item>({
    name: 'main',
    combine: (tasks) => tasks,
    keysOf: ({ events }) => events.map(({ key }) => key),
    anew: (task) => ({ ...task, isAnew: true }),
    onLength: (length) => void lengths.push(length),
    handle: async (task) => {
      told.push(task);
      log.push(`${Date.now()} ${task.events.map(({ key, id }) => `${key}${id}`).join(' ')}`);
      const delayMs = asideMs(task);
      for (const { key, id } of task.events) {
        if (id < (newest.get(key) ?? 0)) problems.push(`${key}${id} comes after ${key}${newest.get(key)}`);
        newest.set(key, id);
      }
      if (delayMs === undefined || left === 0) {
        done.push(...task.events.map(({ id }) => id));
      } else {
        left -= 1;
        queue.setAside(task, delayMs);
      }
      return { type: 'done' };
    },
  });
  const start = () => {
    const controller = new AbortController();
    const ended = queue.run(controller.signal);
    return async () => {
      controller.abort();
      await ended;
    };
  };
  return { queue, log, told, done, problems, lengths, start };
}
