import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { expiringCredentials } from '../../../src/kube/credentials/expiring-credentials.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A source whose nth answer is `Bearer n`; it lives `lifeMs`, and fails while `isDown`. */
function counted(lifeMs: number) {
  const state = { count: 0, isDown: false };
  const source = expiringCredentials(async () => {
    state.count += 1;
    await Promise.resolve();
    if (state.isDown) throw new Error(`failure ${state.count}`);
    return { part: { headers: { authorization: `Bearer ${state.count}` } }, expiresAt: Date.now() + lifeMs };
  });
  const read = async () => (await source.read()).headers?.['authorization'];
  return { state, source, read };
}

describe('expiring credentials', () => {
  it('are obtained once, however many ask at once', async () => {
    const { state, read } = counted(Infinity);

    const tokens = await Promise.all(Array.from({ length: 10 }, read));

    expect(new Set(tokens)).toEqual(new Set(['Bearer 1']));
    expect(state.count).toBe(1);
  });

  it('are renewed in the background before they expire, while the old ones are used', async () => {
    const { read } = counted(3_600_000);
    const tokens = [await read()];
    vi.advanceTimersByTime(3_600_000 - 60_001);
    tokens.push(await read());
    vi.advanceTimersByTime(1);
    tokens.push(await read());
    await new Promise((resolve) => setImmediate(resolve));
    tokens.push(await read());

    expect(tokens).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 1', 'Bearer 2']);
  });

  it('with a short life are renewed in its last tenth', async () => {
    const { state, read } = counted(1000);
    await read();
    vi.advanceTimersByTime(899);
    await read();
    const before = state.count;
    vi.advanceTimersByTime(1);
    await read();

    expect([before, state.count]).toEqual([1, 2]);
  });

  it('are waited for when they have expired', async () => {
    const { read } = counted(1000);
    await read();
    vi.advanceTimersByTime(1000);

    expect(await read()).toBe('Bearer 2');
  });

  it('survive a failure to renew them until they expire', async () => {
    const { state, read } = counted(100_000);
    await read();
    state.isDown = true;
    vi.advanceTimersByTime(95_000);

    expect(await read()).toBe('Bearer 1');
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(5_000);
    await expect(read()).rejects.toThrow('failure 3');
  });

  it('are obtained again after they were refused', async () => {
    const { source, read } = counted(Infinity);
    await read();

    source.invalidate();

    expect(await read()).toBe('Bearer 2');
  });

  it('that fail are not tried again within a second', async () => {
    const { state, read } = counted(Infinity);
    state.isDown = true;
    await expect(read()).rejects.toThrow('failure 1');
    vi.advanceTimersByTime(999);
    await expect(read()).rejects.toThrow('failure 1');
    vi.advanceTimersByTime(1);
    state.isDown = false;

    expect(await read()).toBe('Bearer 2');
  });
});

it('a source that never answers is asked again after 70 s', async () => {
  vi.useFakeTimers();
  let asked = 0;
  const source = expiringCredentials(async () => {
    asked += 1;
    if (asked === 1) await new Promise(() => {});
    return { part: { headers: { authorization: 'Bearer 2' } }, expiresAt: Infinity };
  });
  const first = source.read().catch((error: unknown) => String(error));

  await vi.advanceTimersByTimeAsync(70_000);
  const failure = await first;
  await vi.advanceTimersByTimeAsync(1000);

  expect(failure).toContain('no credentials within 70 s');
  expect(await source.read()).toEqual({ headers: { authorization: 'Bearer 2' } });
});
