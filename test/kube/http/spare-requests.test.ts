import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { SpareRequests } from '../../../src/kube/http/spare-requests.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Course {
  /** Time until each attempt is answered, spares in order; Infinity for no answer. */
  readonly answerMs: readonly number[];
  /** Whether probes are answered. */
  readonly isWell?: () => boolean;
}

/** Sends one request, and records its result. */
function send({ answerMs, isWell = () => true }: Course) {
  const startMs = performance.now();
  const state = { starts: [] as number[], cancelled: [] as number[], most: 0, answer: undefined as string | undefined };
  let running = 0;
  let settledMs: number | undefined;
  const spares = new SpareRequests(2000, () => isWell());
  const start = (isSpare: boolean) => {
    const index = state.starts.length;
    state.starts.push(Math.round(performance.now() - startMs));
    running += 1;
    state.most = Math.max(state.most, running);
    const { promise, resolve } = Promise.withResolvers<string>();
    const afterMs = answerMs[index] ?? Infinity;
    if (afterMs !== Infinity) setTimeout(() => resolve(`${isSpare ? 'spare' : 'first'} ${index}`), afterMs);
    const cancel = (): void => {
      running -= 1;
      state.cancelled.push(index);
    };
    return { answer: promise, cancel };
  };
  void spares.send(start).then((answer) => {
    state.answer = answer;
    settledMs = Math.round(performance.now() - startMs);
  });
  return { state, settledMs: () => settledMs };
}

describe('a request that may be sent twice', () => {
  it('is answered within 3 s where the first connection is silent, and one that is opened then is not', async () => {
    const { state, settledMs } = send({ answerMs: [Infinity, 500] });

    await vi.advanceTimersByTimeAsync(10_000);

    expect(state).toMatchObject({
      answer: 'spare 1',
      cancelled: [0],
      starts: [expect.any(Number), expect.any(Number)],
    });
    expect(settledMs()).toBeLessThanOrEqual(3000);
  });

  it('is sent once where the answer comes in time', async () => {
    const { state } = send({ answerMs: [1900] });

    await vi.advanceTimersByTimeAsync(10_000);

    expect(state).toEqual({ answer: 'first 0', cancelled: [], starts: [0], most: 1 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is sent five times at most to a server that takes 30 s, two at once, and has the first answer', async () => {
    const { state } = send({ answerMs: [30_000, 30_000, 30_000, 30_000, 30_000, 30_000] });

    await vi.advanceTimersByTimeAsync(31_000);

    expect(state.answer).toBe('first 0');
    expect(state.starts).toEqual([0, 2000, 4000, 8000, 16_000]);
    expect(state.most).toBe(2);
    expect(state.cancelled).toEqual([1, 2, 3, 4]);
  });

  it('is sent once while probes are not answered, and again as soon as they are', async () => {
    let isWell = false;
    const { state } = send({ answerMs: [Infinity, 10], isWell: () => isWell });

    await vi.advanceTimersByTimeAsync(9000);
    expect(state.starts).toEqual([0]);
    isWell = true;
    await vi.advanceTimersByTimeAsync(500);

    expect(state.answer).toBe('spare 1');
  });

  it('fails with the first as long as there is no spare, and with the last else', async () => {
    const spares = new SpareRequests(2000, () => true);
    const cancel = (): void => {};

    await expect(spares.send(() => ({ answer: Promise.reject(new Error('refused')), cancel }))).rejects.toThrow(
      'refused',
    );
    let tries = 0;
    const failing = spares.send(() => {
      tries += 1;
      const afterMs = tries === 1 ? 3000 : 2000;
      const answer = new Promise<never>((_resolve, reject) => {
        setTimeout(() => reject(new Error(`failure ${afterMs}`)), afterMs);
      });
      return { answer, cancel };
    });
    const failure = failing.catch(String);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(await failure).toBe('Error: failure 2000');
  });
});
