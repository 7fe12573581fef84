import { expect, it } from 'vitest';
import { latch } from '../../src/lib/latch.ts';
import { AskSlots } from '../../src/run/ask-slots.ts';
import { never } from '../support/hook-rig.ts';

/** Calls that run until they are ended. */
function held(slots: AskSlots) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const call = async (name: string, signal = never): Promise<unknown> =>
    slots.during(async () => {
      started.push(name);
      const { promise, resolve } = latch();
      ends.set(name, resolve);
      await promise;
      return name;
    }, signal);
  return { started, call, end: (name: string) => ends.get(name)?.() };
}

it('as many calls run as there are slots, the next wait in order, and one more is refused at once', async () => {
  const { started, call, end } = held(new AskSlots({ maxRunning: 2, maxWaiting: 2 }));
  const calls = ['a', 'b', 'c', 'd'].map(async (name) => call(name));

  expect(await call('e')).toEqual({
    type: 'no-slot',
    reason: '2 processes of hooks answer requests already, and 2 more wait',
  });
  expect(started).toEqual(['a', 'b']);

  end('b');
  expect(await calls[1]).toBe('b');
  await expect.poll(() => started).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c']) end(name);
  await expect.poll(() => started).toEqual(['a', 'b', 'c', 'd']);
  end('d');
  expect(await calls[3]).toBe('d');
});

it('a call whose caller does not wait any longer leaves the line, and the next gets the slot', async () => {
  const { started, call, end } = held(new AskSlots({ maxRunning: 1, maxWaiting: 2 }));
  const first = call('a');
  const controller = new AbortController();
  const second = call('b', controller.signal);
  const third = call('c');

  controller.abort();
  expect(await second).toMatchObject({
    type: 'no-slot',
    reason: expect.stringContaining('none of them ended in time'),
  });
  end('a');
  await first;
  await expect.poll(() => started).toEqual(['a', 'c']);
  end('c');

  expect(await third).toBe('c');
});

it('a call that throws frees its slot', async () => {
  const slots = new AskSlots({ maxRunning: 1, maxWaiting: 0 });
  await expect(slots.during(async () => Promise.reject(new Error('no')), never)).rejects.toThrow('no');

  expect(await slots.during(async () => 'next', never)).toBe('next');
});
