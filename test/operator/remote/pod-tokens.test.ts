import { describe, expect, it, vi } from 'vitest';
import { latch } from '../../../src/lib/latch.ts';
import { PodTokens } from '../../../src/operator/remote/pod-tokens.ts';
import type { KubeRequest } from '../../../src/kube/client.ts';

const POD = {
  'authentication.kubernetes.io/pod-name': ['hooklet-run-1-abcde'],
  'authentication.kubernetes.io/pod-uid': ['u-1'],
};
const CALLER = { namespace: 'db', account: 'default', pod: 'hooklet-run-1-abcde', podUid: 'u-1' };

interface Reviewed {
  readonly username?: string;
  readonly extra?: object;
  readonly audiences?: readonly string[];
  readonly authenticated?: boolean;
}

/** Tokens that an API server reviews so; `asked` has the bodies of its reviews. */
function tokensOf({ username = 'system:serviceaccount:db:default', extra = POD, ...rest }: Reviewed) {
  const { audiences = ['hooklet'], authenticated = true } = rest;
  const clock = { nowMs: 0 };
  const asked: unknown[] = [];
  const world = {
    answer: async (): Promise<unknown> => ({ status: { authenticated, audiences, user: { username, extra } } }),
  };
  const request = async ({ body = '' }: KubeRequest): Promise<unknown> => {
    asked.push(JSON.parse(String(body)));
    return world.answer();
  };
  return { tokens: new PodTokens({ client: { request }, elapsed: () => clock.nowMs }), clock, asked, world };
}

describe('the token of a Pod', () => {
  it('is reviewed for the audience hooklet, and names its Pod', async () => {
    const { tokens, asked } = tokensOf({});

    expect(await tokens.identify('t')).toEqual(CALLER);
    expect(asked).toEqual([expect.objectContaining({ spec: { token: 't', audiences: ['hooklet'] } })]);
  });

  it.each([
    { what: 'that the API server does not know', reviewed: { authenticated: false } },
    { what: 'for another audience', reviewed: { audiences: ['https://kubernetes.default.svc'] } },
    { what: 'that an API server without audiences takes for any', reviewed: { audiences: [] } },
    { what: 'of a ServiceAccount without a Pod', reviewed: { extra: {} } },
    {
      what: 'that names two Pods',
      reviewed: { extra: { ...POD, 'authentication.kubernetes.io/pod-uid': ['a', 'b'] } },
    },
    { what: 'of a user who is called like a Pod', reviewed: { username: 'db:default' } },
  ])('$what is none', async ({ reviewed }) => {
    const { tokens } = tokensOf(reviewed);

    expect(await tokens.identify('t')).toBeUndefined();
  });

  it('is reviewed again after 60 s, an unknown one after 10 s', async () => {
    const known = tokensOf({});
    const unknown = tokensOf({ authenticated: false });
    const reviews = async ({ tokens, clock, asked }: typeof known, atMs: number): Promise<number> => {
      clock.nowMs = atMs;
      await tokens.identify('t');
      return asked.length;
    };

    expect([await reviews(known, 0), await reviews(known, 59_999), await reviews(known, 60_000)]).toEqual([1, 1, 2]);
    expect([await reviews(unknown, 0), await reviews(unknown, 9999), await reviews(unknown, 10_000)]).toEqual([
      1, 1, 2,
    ]);
  });

  it('is reviewed once for all who show it at the same time', async () => {
    const { tokens, asked } = tokensOf({});

    await Promise.all([tokens.identify('t'), tokens.identify('t'), tokens.identify('t')]);

    expect(asked).toHaveLength(1);
  });

  it('holds for 10 min while the API server fails, and for no longer', async () => {
    const { tokens, clock, world } = tokensOf({});
    await tokens.identify('t');
    world.answer = async () => Promise.reject(new Error('it is away'));

    clock.nowMs = 599_999;
    expect(await tokens.identify('t')).toEqual(CALLER);
    clock.nowMs = 600_000;
    await expect(tokens.identify('t')).rejects.toThrow('it is away');
    await expect(tokens.identify('another')).rejects.toThrow('it is away');
  });

  it('holds when the API server takes longer than 2 s, and not any more once that has refused it', async () => {
    vi.useFakeTimers();
    const { tokens, clock, world } = tokensOf({});
    await tokens.identify('t');
    const late = latch<unknown>();
    world.answer = async () => late.promise;
    clock.nowMs = 60_000;

    const first = tokens.identify('t');
    await vi.advanceTimersByTimeAsync(2000);
    expect(await first).toEqual(CALLER);
    late.resolve({ status: { authenticated: false } });
    await vi.advanceTimersByTimeAsync(0);

    expect(await tokens.identify('t')).toBeUndefined();
    vi.useRealTimers();
  });
});
