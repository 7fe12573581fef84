import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aborted } from '../../src/lib/aborted.ts';
import { KeyedQueue } from '../../src/queue/keyed-queue.ts';
import type { Verdict } from '../../src/queue/task-queue.ts';

/** What happened to a key, each with a number of its own. */
interface Item {
  readonly key: string;
  readonly ids: readonly number[];
  readonly isBulk?: boolean;
  readonly failures?: number;
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

const item = (key: string, id = 0, isBulk = false): Item => ({ key, ids: [id], isBulk });

describe('a queue by key', () => {
  it('runs different keys side by side, as many as it may', async () => {
    const { queue, log, start } = rig({ parallelism: 2, runMs: 10 });
    const stop = start();

    queue.push(item('a'), item('b'), item('c'));
    await vi.advanceTimersByTimeAsync(20);

    expect(log).toEqual(['0 a', '0 b', '10 c']);
    await stop();
  });

  it('starts a task in the turn in which it is pushed, without any timer, but not in the stack of the push', async () => {
    const { queue, log, start } = rig({});
    const stop = start();
    await turns();

    queue.push(item('a'));
    expect(log).toEqual([]);
    await turns();

    expect(log).toEqual(['0 a']);
    expect(vi.getTimerCount()).toBe(0);
    await stop();
  });

  it('merges what waits with what comes, also what came while the key ran', async () => {
    const { queue, told, start } = rig({ runMs: 10 });
    queue.push(item('a', 1), item('a', 2));
    const stop = start();
    await vi.advanceTimersByTimeAsync(5);
    queue.push(item('a', 3), item('a', 4));
    expect(queue.length).toBe(2);
    await vi.advanceTimersByTimeAsync(20);

    expect(told).toEqual(['a 1 2', 'a 3 4']);
    expect(queue.length).toBe(0);
    await stop();
  });

  it('holds a key that failed for its delay, and no other', async () => {
    const { queue, log, start } = rig({
      parallelism: 1,
      fails: ({ key, failures = 0 }) => key === 'a' && failures < 2,
    });
    const stop = start();
    queue.push(item('a'), item('b'));
    await vi.advanceTimersByTimeAsync(500);
    queue.push(item('b'));

    await vi.advanceTimersByTimeAsync(2000);

    expect(log).toEqual(['0 a', '0 b', '500 b', '1000 a', '2000 a']);
    await stop();
  });

  it('ends the delay of a key to which something live happens, but not for a bulk one', async () => {
    const { queue, told, log, start } = rig({ fails: ({ failures = 0 }) => failures < 1 });
    const stop = start();
    queue.push(item('a', 1), item('b', 2));
    await vi.advanceTimersByTimeAsync(400);

    queue.push(item('a', 3), item('b', 4, true));
    await vi.advanceTimersByTimeAsync(1000);

    expect(log).toEqual(['0 a', '0 b', '400 a', '1000 b']);
    expect(told.slice(2)).toEqual(['a 1 3', 'b 2 4']);
    await stop();
  });

  it('lets what is live overtake a flood, and a live event take its key out of it', async () => {
    const { queue, log, start } = rig({ parallelism: 1, runMs: 1 });
    queue.push(...['a', 'b', 'c', 'd'].map((key) => item(key, 0, true)));
    queue.push(item('live'), item('c', 1));
    const stop = start();

    await vi.advanceTimersByTimeAsync(10);

    expect(log.map((line) => line.split(' ')[1])).toEqual(['live', 'c', 'a', 'b', 'd']);
    await stop();
  });

  it('gives a flood one turn in 21 while live ones never end', async () => {
    const { queue, log, start } = rig({ parallelism: 1, runMs: 1 });
    queue.push(item('bulk', 0, true), ...Array.from({ length: 100 }, (_, id) => item(`live-${id}`)));
    const stop = start();

    await vi.advanceTimersByTimeAsync(30);

    expect(log.findIndex((line) => line.endsWith(' bulk'))).toBe(20);
    await stop();
  });

  it('lets 1000 keys that always fail not hold up one that is well: it runs at once, as if it were alone', async () => {
    const { queue, log, start } = rig({ parallelism: 2, runMs: 10, fails: ({ key }) => key !== 'well' });
    const stop = start();
    queue.push(...Array.from({ length: 1000 }, (_, id) => item(`bad-${id}`)));
    await vi.advanceTimersByTimeAsync(6000);
    expect(queue.length).toBe(1000);

    const waits: number[] = [];
    for (let round = 0; round < 100; round += 1) {
      const atMs = Date.now();
      queue.push(item('well'));
      await vi.advanceTimersByTimeAsync(37);
      waits.push(Number(log.findLast((line) => line.endsWith(' well'))?.split(' ')[0]) - atMs);
    }

    expect(waits).toEqual(waits.map(() => 0));
    await stop();
  });

  it('keeps the task that runs when it is dropped, and drops what waits behind it', async () => {
    const { queue, told, lengths, start } = rig({ parallelism: 1, runMs: 10, fails: ({ key }) => key === 'bad' });
    const stop = start();
    queue.push(item('bad', 1), item('a', 2));
    await vi.advanceTimersByTimeAsync(11);
    queue.push(item('a', 3), item('b', 4));

    expect(queue.drop(() => true).flatMap(({ ids }) => ids)).toEqual([1, 3, 4]);
    await vi.advanceTimersByTimeAsync(5000);

    expect(told).toEqual(['bad 1', 'a 2']);
    expect(lengths.at(-1)).toBe(0);
    await stop();
  });

  it('waits for no admission of a task that is dropped', async () => {
    const { queue, log, start } = rig({
      parallelism: 1,
      admit: async ({ key }, signal) => (key === 'a' ? aborted(signal) : undefined),
    });
    const stop = start();
    queue.push(item('a'), item('b'));
    await vi.advanceTimersByTimeAsync(10);
    expect(queue.heads).toMatchObject([{ state: 'admitting', sinceMs: 0, behind: [{ key: 'b' }] }]);

    queue.drop(({ key }) => key === 'a');
    await turns();

    expect(log).toEqual(['10 b']);
    await stop();
  });

  it('tells what runs, what waits for its next attempt, and what waits behind them', async () => {
    const { queue, start } = rig({ parallelism: 1, runMs: 10, fails: ({ key }) => key === 'bad' });
    const stop = start();
    queue.push(item('bad'), item('a'), item('b'));
    await vi.advanceTimersByTimeAsync(15);
    queue.push(item('a', 1));

    expect(queue.heads).toEqual([
      expect.objectContaining({ state: 'delayed', untilMs: 1010, behind: [] }),
      expect.objectContaining({ state: 'running', sinceMs: 10, behind: [item('a', 1), item('b')] }),
    ]);
    expect(queue.status).toBe('1 run, 1 wait, 1 sleep after fail');
    expect(queue.hasWaiting(item('a'))).toBe(true);
    expect(queue.hasWaiting(item('c'))).toBe(false);
    expect(queue.tasks.map(({ key }) => key)).toEqual(['a', 'b', 'a', 'bad']);
    await stop();
  });

  it('awaits what runs at abort and leaves the others, with what failed meanwhile as it was', async () => {
    const { queue, told, start } = rig({ parallelism: 1, runMs: 10, fails: () => true });
    queue.push(item('a', 1), item('b', 2));
    const stop = start();
    await vi.advanceTimersByTimeAsync(1);

    await stop();

    expect(told).toEqual(['a 1']);
    expect(queue.tasks).toEqual([item('b', 2), item('a', 1)]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets a bug out', async () => {
    const { queue } = rig({
      fails: () => {
        throw new TypeError('a bug');
      },
    });
    queue.push(item('a'));

    await expect(queue.run(new AbortController().signal)).rejects.toThrow('a bug');
  });

  it('takes 10000 keys, and as many again of them, in less than a second', () => {
    const { queue } = rig({});
    const startedAt = performance.now();
    for (let round = 0; round < 2; round += 1) {
      for (let id = 0; id < 10_000; id += 1) queue.push(item(`key-${id}`, id, round === 0));
    }

    expect(queue.length).toBe(10_000);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it('loses and repeats nothing, keeps each key in order, and runs none twice at a time, whatever happens', async () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('push' as const), key: fc.nat(3), isBulk: fc.boolean() }),
      fc.record({ type: fc.constant('drop' as const), key: fc.nat(3) }),
      fc.record({ type: fc.constant('wait' as const), ms: fc.nat(30) }),
      fc.record({ type: fc.constant('resize' as const), to: fc.integer({ min: 1, max: 4 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(3), async (steps, each) => {
        let runs = 0;
        const { queue, done, problems, start } = rig({
          parallelism: 2,
          runMs: 7,
          delayMs: 11,
          fails: () => each > 0 && runs++ % (each + 1) === 0,
        });
        const stop = start();
        const pushed: number[] = [];
        const dropped: number[] = [];
        for (const [id, one] of steps.entries()) {
          if (one.type === 'push') {
            pushed.push(id);
            queue.push(item(`${one.key}`, id, one.isBulk));
          } else if (one.type === 'drop') {
            dropped.push(...queue.drop(({ key }) => key === `${one.key}`).flatMap(({ ids }) => ids));
          } else if (one.type === 'resize') {
            queue.resize(one.to);
          } else {
            await vi.advanceTimersByTimeAsync(one.ms);
          }
        }
        await vi.advanceTimersByTimeAsync(10_000);

        expect(problems).toEqual([]);
        expect([...done, ...dropped].toSorted((a, b) => a - b)).toEqual(pushed);
        expect(queue.length).toBe(0);
        await stop();
      }),
    );
  });
});

interface Overrides {
  readonly parallelism?: number;
  readonly runMs?: number;
  readonly delayMs?: number;
  readonly fails?: (task: Item) => boolean;
  readonly admit?: (task: Item, signal: AbortSignal) => Promise<void>;
}

/** A queue whose tasks run for `runMs` and say so in `log`; one that fails is tried again after `delayMs`. */
function rig({ parallelism = 4, runMs = 0, delayMs = 1000, fails = () => false, admit }: Overrides) {
  const log: string[] = [];
  const told: string[] = [];
  const done: number[] = [];
  const problems: string[] = [];
  const lengths: number[] = [];
  const running = new Set<string>();
  const queue = new KeyedQueue<Item>({
    name: 'objects',
    parallelism,
    keyOf: ({ key }) => key,
    isBulk: ({ isBulk = false }) => isBulk,
    merge: (waiting, next) => ({
      ...waiting,
      ...next,
      ids: [...waiting.ids, ...next.ids],
      isBulk: isBulkOf(waiting, next),
    }),
    ...(admit && { admit }),
    onLength: (length) => void lengths.push(length),
    handle: async (task): Promise<Verdict<Item>> => {
      const { key, ids, failures = 0 } = task;
      if (running.has(key)) problems.push(`${key} runs twice at a time`);
      if (ids.some((id, index) => id < (ids[index - 1] ?? 0)))
        problems.push(`${key} is out of order: ${ids.join(' ')}`);
      running.add(key);
      log.push(`${Date.now()} ${key}`);
      told.push(`${key} ${ids.join(' ')}`);
      if (runMs > 0) await wait(runMs);
      running.delete(key);
      if (fails(task)) return { type: 'again', as: { ...task, failures: failures + 1 }, delayMs };
      done.push(...ids);
      return { type: 'done' };
    },
  });
  const start = () => {
    const controller = new AbortController();
    const ended = queue.run(controller.signal);
    return async () => {
      controller.abort();
      await vi.advanceTimersByTimeAsync(runMs);
      await ended;
    };
  };
  return { queue, log, told, done, problems, lengths, start };
}

function isBulkOf(waiting: Item, next: Item): boolean {
  return (waiting.isBulk ?? false) && (next.isBulk ?? false);
}

async function wait(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}

async function turns(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}
