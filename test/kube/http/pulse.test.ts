import { describe, expect, it } from 'vitest';

import { Pulse, PULSE_TIMES } from '../../../src/kube/http/pulse.ts';

/** A connection that answers each ping `latencyMs` later until it goes silent, and another one beside it. */
interface Course {
  readonly latencyMs: number;
  readonly silentAtMs?: number;
  /** Time from the doubt until another connection is open and pinged, and from then until it answers. */
  readonly otherMs: number;
  readonly untilMs: number;
  /** Bytes received per millisecond in addition to answers. */
  readonly bytesPerMs?: number;
  /** When the server announces that it closes the connection. */
  readonly closingAtMs?: number;
}

interface Followed {
  doubtedAtMs?: number;
  endedAtMs?: number;
  pings: number;
}

/** When the connection was first doubted, and when it was given up. */
function follow(course: Course): Followed {
  const { latencyMs, silentAtMs = Infinity, otherMs, untilMs, bytesPerMs = 0, closingAtMs } = course;
  const pulse = new Pulse(PULSE_TIMES, 0);
  const followed: Followed = { pings: 0 };
  const due = new Map<number, () => void>();
  let lookAtMs = 0;
  const act = (nowMs: number): void => {
    const bytes = nowMs * bytesPerMs;
    const step = pulse.look(nowMs, bytes);
    lookAtMs = nowMs + step.nextMs;
    if (step.act === 'end') followed.endedAtMs = nowMs;
    if (step.act === 'ping') {
      followed.pings += 1;
      pulse.pinged(nowMs, bytes);
      due.set(nowMs + latencyMs, () => {
        if (nowMs + latencyMs >= silentAtMs) return;
        pulse.answered(nowMs + latencyMs);
        lookAtMs = nowMs + latencyMs;
      });
    }
    if (step.act === 'doubt') {
      followed.doubtedAtMs ??= nowMs;
      due.set(nowMs + 2 * otherMs, () => {
        if (pulse.isOutlivedBy(nowMs + otherMs)) followed.endedAtMs = nowMs + 2 * otherMs;
      });
    }
  };
  for (let nowMs = 0; nowMs <= untilMs && followed.endedAtMs === undefined; nowMs++) {
    due.get(nowMs)?.();
    if (nowMs === closingAtMs) {
      pulse.hurry();
      lookAtMs = nowMs;
    }
    if (nowMs >= lookAtMs) act(nowMs);
  }
  return followed;
}

const LATENCY_MS = 5;

describe('the pulse of a connection', () => {
  it('doubts it at most 3 s after it went silent, at whichever moment that is', () => {
    for (let silentAtMs = 4000; silentAtMs < 8000; silentAtMs += 7) {
      const { doubtedAtMs = Infinity } = follow({ latencyMs: LATENCY_MS, silentAtMs, otherMs: 1, untilMs: 20_000 });

      expect(doubtedAtMs - silentAtMs).toBeLessThanOrEqual(3000 + LATENCY_MS);
    }
  });

  it('doubts one that the server closes at most 2 s after it went silent, at whichever moment that is', () => {
    for (let silentAtMs = 4000; silentAtMs < 8000; silentAtMs += 7) {
      const course = { latencyMs: LATENCY_MS, silentAtMs, closingAtMs: 3990, otherMs: 1, untilMs: 20_000 };
      const { doubtedAtMs = Infinity } = follow(course);

      expect(doubtedAtMs - silentAtMs).toBeLessThanOrEqual(2000 + LATENCY_MS);
    }
  });

  it('gives it up within 5 s of its silence, where another one is open after 1 s and answers after 1 s', () => {
    for (let silentAtMs = 4000; silentAtMs < 8000; silentAtMs += 7) {
      const course = { latencyMs: LATENCY_MS, silentAtMs, otherMs: 1000 - LATENCY_MS, untilMs: 20_000 };
      const { endedAtMs = Infinity } = follow(course);

      expect(endedAtMs - silentAtMs).toBeLessThanOrEqual(5000);
    }
  });

  it.each([500, 1500, 3000, 8000])('keeps it where the server answers everything %i ms late', (latencyMs) => {
    // Opening another one takes at least two round trips.
    const { endedAtMs } = follow({ latencyMs, otherMs: 2 * latencyMs, untilMs: 120_000 });

    expect(endedAtMs).toBeUndefined();
  });

  it('gives it up after 15 s without an answer where no other one can be opened', () => {
    const { endedAtMs } = follow({ latencyMs: LATENCY_MS, silentAtMs: 4000, otherMs: Infinity, untilMs: 60_000 });

    expect(endedAtMs).toBe(4000 + 15_000);
  });

  it('does not doubt it while a long list holds up the answer, and doubts it where a byte a second comes', () => {
    const late = { latencyMs: 20_000, otherMs: 10, untilMs: 19_000 };

    expect(follow({ ...late, bytesPerMs: 100 }).doubtedAtMs).toBeUndefined();
    expect(follow({ ...late, bytesPerMs: 0.001 }).doubtedAtMs).toBe(1000);
  });

  it('is taken by one ping every 2 s', () => {
    expect(follow({ latencyMs: LATENCY_MS, otherMs: 10, untilMs: 59_999 }).pings).toBe(30);
  });
});
