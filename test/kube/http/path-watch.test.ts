import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { PathWatch } from '../../../src/kube/http/path-watch.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Course {
  /** When all connections opened before fall silent; those opened after `backAtMs` are answered. */
  readonly silentAtMs?: number;
  readonly backAtMs?: number;
  readonly latencyMs?: number;
  readonly untilMs: number;
  /** Bytes per second that the watch receives. */
  readonly bytesPerSecond?: number;
}

/**
 * One watch over HTTP/1.1 and the connections of the probes: records when the watch was given up, and which probes were
 * sent.
 */
async function follow(course: Course) {
  const { silentAtMs = Infinity, backAtMs = silentAtMs, latencyMs = 5, untilMs, bytesPerSecond = 0 } = course;
  const startMs = performance.now();
  const nowMs = (): number => performance.now() - startMs;
  const state = { endedAtMs: undefined as number | undefined, probes: 0, agents: 0, open: 0 };
  const line = {
    get bytesRead() {
      return Math.floor((nowMs() / 1000) * bytesPerSecond);
    },
    look: () => {},
    heard: () => {},
    end: () => (state.endedAtMs ??= nowMs()),
  };
  const createAgent = () => {
    state.agents += 1;
    state.open += 1;
    const agent = { hasIdle: false, openedAtMs: nowMs(), end: () => (state.open -= 1) };
    return agent;
  };
  const probe = async (agent: ReturnType<typeof createAgent>, _headers: object, signal: AbortSignal) => {
    state.probes += 1;
    const isDead = agent.openedAtMs < backAtMs && nowMs() + latencyMs >= silentAtMs;
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
      if (!isDead) setTimeout(resolve, latencyMs);
    });
    agent.hasIdle = true;
  };
  const path = new PathWatch({ agent: { busy: [line] }, createAgent, probe });
  path.used({});
  for (let left = untilMs; left > 0 && state.endedAtMs === undefined; left -= 25) {
    await vi.advanceTimersByTimeAsync(25);
    await new Promise((resolve) => setImmediate(resolve));
  }
  path.end();
  return state;
}

describe('the watch over a path of HTTP/1.1', () => {
  it('gives up a watch within 5 s of the moment at which the connections fell silent, whichever it is', async () => {
    for (let silentAtMs = 3000; silentAtMs < 5100; silentAtMs += 130) {
      const { endedAtMs = Infinity } = await follow({ silentAtMs, latencyMs: 500, untilMs: 12_000 });

      expect(endedAtMs - silentAtMs).toBeLessThanOrEqual(5000);
    }
  });

  it('gives it up within 2 s of the moment at which new connections are answered again', async () => {
    for (let backAtMs = 8000; backAtMs < 11_000; backAtMs += 310) {
      const { endedAtMs = Infinity } = await follow({ silentAtMs: 4000, backAtMs, untilMs: 20_000 });

      expect(endedAtMs).toBeGreaterThan(backAtMs);
      expect(endedAtMs - backAtMs).toBeLessThanOrEqual(2000);
    }
  });

  it('leaves a quiet watch alone for an hour, and asks every 2 s on one connection', async () => {
    const { endedAtMs, probes, agents } = await follow({ untilMs: 3_600_000 });

    expect(endedAtMs).toBeUndefined();
    expect(agents).toBe(1);
    expect(probes).toBeGreaterThan(1700);
    expect(probes).toBeLessThanOrEqual(1800);
  });

  it('leaves a watch alone whose server answers everything 3 s late', async () => {
    const { endedAtMs } = await follow({ latencyMs: 3000, untilMs: 60_000 });

    expect(endedAtMs).toBeUndefined();
  });

  it('leaves a watch alone that brings 4 KiB a second, and not one that brings a byte', async () => {
    const silent = { silentAtMs: 4000, untilMs: 12_000 };

    expect((await follow({ ...silent, bytesPerSecond: 4096 })).endedAtMs).toBeUndefined();
    expect((await follow({ ...silent, bytesPerSecond: 1 })).endedAtMs).toBeDefined();
  });

  it('leaves no connection of its own behind', async () => {
    expect((await follow({ silentAtMs: 4000, backAtMs: 9000, untilMs: 20_000 })).open).toBe(0);
  });
});
