import { afterAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { CONFIG_MAPS_PATH, startFaultRig, type FaultRig } from '../support/fault-rig.ts';
import { until } from '../support/operator-rig.ts';

const watches = { path: CONFIG_MAPS_PATH, watch: true } as const;

interface WatchFault {
  readonly what: string;
  /** Injects the fault; the returned function ends it. */
  readonly strike: (rig: FaultRig) => (() => void | Promise<void>) | void;
  /** Whether the fault leads to a relist, which is needed only if the resourceVersion is lost. */
  readonly isListed: boolean;
}

const FAULTS: readonly WatchFault[] = [
  { what: 'its connection is reset', strike: ({ sandbox }) => void sandbox.dropWatches(), isListed: false },
  {
    what: 'it is cut in the middle of an event',
    strike: ({ sandbox }) => sandbox.faults.add({ type: 'cutLine', ...watches, times: 1 }),
    isListed: false,
  },
  {
    what: 'a line is no JSON',
    strike: ({ sandbox }) => sandbox.faults.add({ type: 'brokenLine', ...watches, times: 1 }),
    isListed: true,
  },
  {
    what: 'its position has expired, says the stream',
    strike: ({ sandbox }) => sandbox.faults.add({ type: 'watchError', code: 410, ...watches, times: 1 }),
    isListed: true,
  },
  {
    what: 'its position has expired, says the answer',
    strike: ({ sandbox }) => {
      sandbox.faults.add({ type: 'status', code: 410, ...watches, times: 1 });
      sandbox.dropWatches();
    },
    isListed: true,
  },
  {
    what: 'the server fails, says the stream',
    strike: ({ sandbox }) => sandbox.faults.add({ type: 'watchError', code: 500, ...watches, times: 1 }),
    isListed: false,
  },
  {
    what: 'it is answered 429 with Retry-After',
    strike: ({ sandbox }) => {
      sandbox.faults.add({ type: 'status', code: 429, retryAfterSeconds: 1, ...watches, times: 1 });
      sandbox.dropWatches();
    },
    isListed: false,
  },
  {
    what: 'it is answered 500 again and again',
    strike: ({ sandbox }) => {
      const end = sandbox.faults.add({ type: 'status', code: 500, ...watches });
      sandbox.dropWatches();
      return async () => {
        await untilTried(sandbox, 2);
        end();
      };
    },
    isListed: false,
  },
  {
    what: 'the server hangs up on everything',
    strike: ({ sandbox }) => {
      const end = sandbox.faults.add({ type: 'hangUp' });
      sandbox.dropWatches();
      return async () => {
        await untilTried(sandbox, 3);
        end();
      };
    },
    isListed: false,
  },
  {
    what: 'no bookmark ever comes',
    strike: ({ sandbox }) => {
      sandbox.faults.add({ type: 'noBookmarks' });
      sandbox.dropWatches();
    },
    isListed: false,
  },
  {
    what: 'every event comes twice',
    strike: ({ sandbox }) => sandbox.faults.add({ type: 'duplicate', copies: 2, ...watches }),
    isListed: false,
  },
  {
    what: 'every answer comes late',
    strike: ({ sandbox }) => {
      const end = sandbox.faults.add({ type: 'delay', delayMs: 300 });
      sandbox.dropWatches();
      return end;
    },
    isListed: false,
  },
  {
    what: 'the token was rotated',
    strike: ({ sandbox }) => {
      sandbox.rotateToken('another');
      sandbox.dropWatches();
    },
    isListed: false,
  },
  {
    what: 'the history was compacted while the watch was down',
    strike: ({ sandbox }) => {
      const end = sandbox.faults.add({ type: 'hangUp', ...watches });
      sandbox.dropWatches();
      return () => {
        sandbox.compact();
        end();
      };
    },
    isListed: true,
  },
];

/** Waits until the watch was requested so many times. */
async function untilTried(sandbox: Sandbox, times: number): Promise<void> {
  const asked = () => sandbox.requests.filter(({ path, watch }) => path === CONFIG_MAPS_PATH && watch);
  await until(() => expect(asked().length).toBeGreaterThanOrEqual(times));
}

describe('a watch', () => {
  let shared: Promise<FaultRig> | undefined;
  afterAll(async () => (await shared)?.[Symbol.asyncDispose]());

  // One after the other in the same operator, so that leftovers of one fault would affect the next.
  it.each(FAULTS)('loses nothing and no order, within 3 s: $what', async ({ what, strike, isListed }) => {
    const rig = await (shared ??= startFaultRig());
    rig.sandbox.faults.clear();
    rig.sandbox.clearRequests();
    const known = rig.values('a').length;

    const end = strike(rig);
    await rig.put('a', `${what} 1`);
    await rig.put('a', `${what} 2`);
    await rig.put('c', what);
    await rig.remove('b');
    await rig.put('b', 'another');
    await rig.put('d', '1');
    await rig.remove('d');
    await end?.();

    await rig.caughtUpWithin(3000);
    expect(rig.lists() > 0).toBe(isListed);
    if (!isListed) expect(new Set(rig.values('a').slice(known))).toEqual(new Set([`${what} 1`, `${what} 2`]));
  });

  it('does not go back in time when a list is older than what was seen', async () => {
    const rig = await (shared ??= startFaultRig());
    rig.sandbox.faults.clear();
    const { resourceVersion } = rig.sandbox;
    await rig.put('a', 'newer');
    await rig.remove('b');
    await rig.caughtUp();

    rig.sandbox.faults.add({ type: 'staleList', resourceVersion, path: CONFIG_MAPS_PATH, times: 1 });
    rig.sandbox.faults.add({ type: 'watchError', code: 410, ...watches, times: 1 });
    await rig.put('c', 'newest');

    await rig.caughtUp();
  });

  it('that falls silent is heard again within 4 s, and told of once, where bookmarks come every second', async () => {
    await using deaf = await startFaultRig({ watchIdleTimeoutMs: 1000 });

    deaf.sandbox.faults.add({ type: 'silence', ...watches, times: 1 });
    await deaf.put('a', '1');

    await deaf.caughtUpWithin(4000);
    expect(deaf.lists()).toBe(0);
    const told = deaf.operator.lines.filter(({ message }) => message === 'watch interrupted');
    expect(told[0]).toMatchObject({ level: 'warn', fields: { reason: 'idle' } });
  });
});
