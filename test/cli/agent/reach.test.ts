import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Reach, type Ask } from '../../../src/cli/agent/reach.ts';
import { latch } from '../../../src/lib/latch.ts';
import { never, temporaryFolder } from '../../support/hook-rig.ts';

const dns = vi.hoisted(() => ({ asked: 0, answered: (): Promise<void> => Promise.resolve() }));
vi.mock('node:dns/promises', () => ({
  lookup: async () => {
    dns.asked += 1;
    await dns.answered();
    return [{ address: '127.0.0.1', family: 4 }];
  },
}));

it('all that is asked while DNS is silent waits for one lookup, and the next is for what is asked later', async () => {
  using folder = temporaryFolder();
  const tokenFile = join(folder.path, 'token');
  writeFileSync(tokenFile, 'token');
  const { promise, resolve } = latch();
  dns.answered = async () => promise;
  const exchange = async (): Promise<never> => {
    throw new Error('nobody is there');
  };
  const reach = new Reach({
    urls: [new URL('https://operator:9682')],
    tokenFile,
    wire: { exchange, close: () => {} },
    times: { retry: { initialMs: 1, maxMs: 1 }, sayEveryMs: 0 },
    authority: 'the file',
    onUnreached: () => {},
  });
  const read = () => ({ type: 'read', value: undefined }) as const;
  const ask: Ask<undefined> = { method: 'GET', path: '/', body: [], maxBytes: 1, limitMs: 1000, read };

  const asked = Array.from({ length: 100 }, async () => reach.once(ask, never));
  await vi.waitFor(() => expect(dns.asked).toBe(1));
  resolve();
  for (const reached of await Promise.all(asked)) expect(reached.type).toBe('unreached');
  expect(dns.asked).toBe(1);
  await reach.once(ask, never);
  expect(dns.asked).toBe(2);
});
