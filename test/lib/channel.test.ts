import { describe, expect, it } from 'vitest';
import { Channel } from '../../src/lib/channel.ts';

describe('a channel', () => {
  it('gives values in the order in which they were pushed, also those that come while others are read', async () => {
    const channel = new Channel<number>();
    channel.push(1, 2);
    const taken: number[] = [];

    for await (const value of channel) {
      taken.push(value);
      if (value === 1) channel.push(3);
      if (value === 3) channel.close();
    }

    expect(taken).toEqual([1, 2, 3]);
  });

  it('wakes a reader that waits', async () => {
    const channel = new Channel<number>();
    const reading = channel[Symbol.asyncIterator]().next();

    channel.push(7);

    await expect(reading).resolves.toEqual({ value: 7, done: false });
  });

  it('gives what was pushed before it was closed, and takes nothing after', async () => {
    const channel = new Channel<number>();
    channel.push(1);
    channel.close();
    channel.push(2);

    expect(await all(channel)).toEqual([1]);
  });

  it('ends a reader that waits when it is closed', async () => {
    const channel = new Channel<number>();
    const reading = all(channel);

    channel.close();

    await expect(reading).resolves.toEqual([]);
  });

  it('counts what waits', () => {
    const channel = new Channel<number>();

    channel.push(1, 2);

    expect(channel.length).toBe(2);
  });
});

async function all(channel: Channel<number>): Promise<readonly number[]> {
  const values: number[] = [];
  for await (const value of channel) values.push(value);
  return values;
}
