import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aborted } from '../../src/lib/aborted.ts';
import { Queue, type QueueOptions } from '../../src/queue/queue.ts';
import type { Verdict } from '../../src/queue/task-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a queue', () => {
  it('works tasks one at a time in the order in which they came', async () => {
    const { queue, log, start } = rig({ handle: slow });
    const stop = start();

    queue.push('a', 'b');
    queue.push('c');
    await vi.advanceTimersByTimeAsync(30);

    expect(log).toEqual(['start a', 'end a', 'start b', 'end b', 'start c', 'end c']);
    await stop();
  });

  it('starts a task in the very turn in which it is pushed, without any timer', async () => {
    const { queue, log, start } = rig({});
    const stop = start();
    await turns();

    queue.push('a');
    await turns();

    expect(log).toEqual(['a']);
    expect(vi.getTimerCount()).toBe(0);
    await stop();
  });

  it('keeps a failing head in front of what is behind it', async () => {
    let failures = 2;
    const { queue, log, start } = rig({
      handle: async (task, _signal, seen) => {
        seen.push(task);
        if (task === 'a' && failures-- > 0) throw new Error('no');
      },
    });
    const stop = start();
    queue.push('a', 'b');

    await vi.advanceTimersByTimeAsync(999);
    expect(log).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(['a', 'a']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(log).toEqual(['a', 'a', 'a', 'b']);
    await stop();
  });

  it('lets go of a failed head that is dropped, and of its delay', async () => {
    const { queue, log, start } = rig({
      handle: async (task, _signal, seen) => {
        seen.push(task);
        if (task === 'bad') throw new Error('no');
      },
      delayMs: 30_000,
    });
    const stop = start();
    queue.push('bad', 'unwanted', 'next');
    await vi.advanceTimersByTimeAsync(1000);

    expect(queue.drop((task) => task !== 'next')).toEqual(['bad', 'unwanted']);
    await vi.advanceTimersByTimeAsync(0);

    expect(log).toEqual(['bad', 'next']);
    expect(queue.length).toBe(0);
    await stop();
  });

  it('keeps the task that runs when it is dropped', async () => {
    const { queue, log, start } = rig({ handle: slow });
    const stop = start();
    queue.push('a', 'b');
    await vi.advanceTimersByTimeAsync(1);

    expect(queue.drop(() => true)).toEqual(['b']);
    await vi.advanceTimersByTimeAsync(30);

    expect(log).toEqual(['start a', 'end a']);
    await stop();
  });

  it('waits as long as the decision about a failure says, where it does', async () => {
    let failures = 1;
    const { queue, log, start } = rig({
      handle: async (task, _signal, seen) => {
        seen.push(task);
        if (failures-- > 0) throw new Error('no');
      },
      afterFailure: (head) => ({ type: 'again', as: `${head} again`, delayMs: 100 }),
      delayMs: 5000,
    });
    const stop = start();
    queue.push('a');

    await vi.advanceTimersByTimeAsync(100);

    expect(log).toEqual(['a', 'a again']);
    await stop();
  });

  it('gives up a head when the failure is allowed', async () => {
    const { queue, log, start } = rig({
      handle: async (task, _signal, seen) => {
        seen.push(task);
        if (task === 'a') throw new Error('no');
      },
      afterFailure: () => ({ type: 'done' }),
    });
    const stop = start();

    queue.push('a', 'b');
    await turns();

    expect(log).toEqual(['a', 'b']);
    expect(queue.length).toBe(0);
    await stop();
  });

  it('retries a head as what the failure made of it', async () => {
    const { queue, log, start } = rig({
      handle: async (task, _signal, seen) => {
        seen.push(task);
        if (task.length < 3) throw new Error('no');
      },
      afterFailure: (head) => ({ type: 'again', as: `${head}+`, delayMs: 10 }),
    });
    const stop = start();

    queue.push('a', 'b++');
    await vi.advanceTimersByTimeAsync(20);

    expect(log).toEqual(['a', 'a+', 'a++', 'b++']);
    await stop();
  });

  it('is not hurried by a push while it waits to retry, and takes it into the next attempt', async () => {
    let failures = 1;
    const { queue, log, start } = rig({
      handle: async (task, _signal, seen) => {
        seen.push(task);
        if (failures-- > 0) throw new Error('no');
      },
      combine: (tasks) => [tasks.join('')],
      delayMs: 1000,
    });
    const stop = start();
    queue.push('a');
    await vi.advanceTimersByTimeAsync(500);

    queue.push('b');
    await vi.advanceTimersByTimeAsync(499);
    expect(log).toEqual(['a']);

    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(['a', 'ab']);
    await stop();
  });

  it('combines what came while the head waited to be admitted', async () => {
    const gate = Promise.withResolvers<void>();
    const { queue, log, start } = rig({
      admit: async () => gate.promise,
      combine: (tasks) => [tasks.join('')],
    });
    const stop = start();
    queue.push('a');
    await turns();
    queue.push('b');

    gate.resolve();
    await turns();

    expect(log).toEqual(['ab']);
    await stop();
  });

  it('admits the next head for itself when the one that waits to be admitted is dropped', async () => {
    const { queue, log, start } = rig({
      admit: async (head, signal) => (head === 'a' ? aborted(signal) : undefined),
    });
    const stop = start();
    queue.push('a', 'b');
    await turns();
    expect(queue.admittingSinceMs).toBe(Date.now());

    queue.drop((task) => task === 'a');
    await turns();

    expect(log).toEqual(['b']);
    expect(queue.admittingSinceMs).toBeUndefined();
    await stop();
  });

  it('never combines into a task that runs', async () => {
    const { queue, log, start } = rig({ handle: slow, combine: (tasks) => [tasks.join('')] });
    const stop = start();
    queue.push('a');
    await turns();

    queue.push('b');
    queue.push('c');
    await vi.advanceTimersByTimeAsync(20);

    expect(log).toEqual(['start a', 'end a', 'start bc', 'end bc']);
    await stop();
  });

  it('combines again only when tasks came or were dropped', async () => {
    const asked: string[] = [];
    const combine = (tasks: readonly string[]) => {
      asked.push(tasks.join(''));
      return tasks;
    };
    const { queue, start } = rig({ handle: slow, combine });
    queue.push('a', 'b', 'c', 'd', 'e', 'f');
    const stop = start();

    await vi.advanceTimersByTimeAsync(25);
    queue.drop((task) => task === 'd');
    await vi.advanceTimersByTimeAsync(10);
    queue.push('g');
    await vi.advanceTimersByTimeAsync(25);

    expect(asked).toEqual(['abcdef', 'ef', 'fg']);
    await stop();
  });

  it('goes idle when combining leaves nothing', async () => {
    const { queue, log, start } = rig({ combine: () => [] });
    const stop = start();

    queue.push('a');
    await turns();

    expect(log).toEqual([]);
    expect(queue.length).toBe(0);
    await stop();
  });

  it('reports every change of its length', async () => {
    const lengths: number[] = [];
    const { queue, start } = rig({ onLength: (length) => lengths.push(length), combine: mergeFirstTwo });
    queue.push('a', 'b', 'c');
    const stop = start();

    await turns();

    expect(lengths).toEqual([3, 2, 1, 0]);
    await stop();
  });

  it('awaits the running task at abort and leaves the others visible', async () => {
    const { queue, log, start } = rig({ handle: slow });
    queue.push('a', 'b');
    const stop = start();
    await turns();

    const stopped = stop();
    await vi.advanceTimersByTimeAsync(10);
    await stopped;

    expect(log).toEqual(['start a', 'end a']);
    expect(queue.tasks).toEqual(['b']);
    expect(queue.status).toBe('stop');
  });

  it.each<Verdict<string>>([{ type: 'keep' }, { type: 'again', as: 'another', delayMs: 0 }])(
    'keeps a task that the abort cut short, as it is: $type',
    async (verdict) => {
      const { queue, start } = rig({
        handle: async (_task, signal) => {
          const { promise, reject } = Promise.withResolvers<never>();
          signal.addEventListener('abort', () => reject(new Error('cut short')));
          return promise;
        },
        afterFailure: () => verdict,
      });
      queue.push('a');
      const stop = start();
      await turns();

      await stop();

      expect(queue.tasks).toEqual(['a']);
    },
  );

  it('ends at once when aborted during a delay', async () => {
    const { queue, start } = rig({
      handle: async () => {
        throw new Error('no');
      },
      delayMs: 60_000,
    });
    queue.push('a');
    const stop = start();
    await turns();

    await stop();

    expect(queue.tasks).toEqual(['a']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('says in words what it does', async () => {
    const { queue, start } = rig({
      handle: async () => {
        throw new Error('no');
      },
      delayMs: 5000,
    });
    expect(queue.status).toBe('');
    const stop = start();
    await vi.advanceTimersByTimeAsync(3000);
    expect(queue.status).toBe('waiting for task 3s');

    queue.push('a');
    await vi.advanceTimersByTimeAsync(2000);
    expect(queue.status).toBe('sleep after fail for 5s (3s left of 5s delay)');

    await stop();
    expect(queue.status).toBe('stop');
  });

  it('lets a bug out', async () => {
    const { queue } = rig({
      handle: async () => {
        throw new Error('no');
      },
      afterFailure: () => {
        throw new TypeError('a bug');
      },
    });
    queue.push('a');

    await expect(queue.run(new AbortController().signal)).rejects.toThrow('a bug');
  });
});

interface Overrides {
  /** A rejection counts as a failure of the head. */
  readonly handle?: (task: string, signal: AbortSignal, log: string[]) => Promise<void>;
  readonly combine?: (tasks: readonly string[]) => readonly string[];
  readonly admit?: (head: string, signal: AbortSignal) => Promise<void>;
  /** Delay between attempts; default 1 s. */
  readonly delayMs?: number;
  /** The verdict after a failure; default: another attempt. */
  readonly afterFailure?: (head: string) => Verdict<string>;
  readonly onLength?: (length: number) => void;
}

function rig(overrides: Overrides) {
  const log: string[] = [];
  const { handle = record, delayMs = 1000, ...rest } = overrides;
  const { afterFailure = (as): Verdict<string> => ({ type: 'again', as, delayMs }), ...others } = rest;
  const options: QueueOptions<string> = {
    name: 'main',
    combine: (tasks) => tasks,
    ...others,
    handle: async (task, signal) => {
      try {
        await handle(task, signal, log);
        return { type: 'done' };
      } catch {
        return afterFailure(task);
      }
    },
  };
  const queue = new Queue<string>(options);
  const start = () => {
    const controller = new AbortController();
    const done = queue.run(controller.signal);
    return async () => {
      controller.abort();
      await done;
    };
  };
  return { queue, log, start };
}

async function record(task: string, _signal: AbortSignal, log: string[]): Promise<void> {
  log.push(task);
}

async function slow(task: string, _signal: AbortSignal, log: string[]): Promise<void> {
  log.push(`start ${task}`);
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 10);
  });
  log.push(`end ${task}`);
}

function mergeFirstTwo(tasks: readonly string[]): readonly string[] {
  return tasks.length > 2 ? [tasks.slice(0, 2).join(''), ...tasks.slice(2)] : tasks;
}

async function turns(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}
