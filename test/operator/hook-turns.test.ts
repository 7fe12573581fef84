import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Changes } from '../../src/lib/changes.ts';
import { hookTurns } from '../../src/operator/hook-turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Writes down the seconds at which hooks are to be loaded again. */
function turnsOf(changes: Changes | undefined, isLate: () => boolean) {
  const end = new AbortController();
  const at: number[] = [];
  const state = { hasEnded: false };
  const follow = async (): Promise<void> => {
    for await (const _ of hookTurns({ changes: changes?.follow(end.signal), isLate }, end.signal)) {
      at.push(Math.round(performance.now() / 1000));
    }
    state.hasEnded = true;
  };
  const began = performance.now();
  void follow();
  return { at: () => at.map((seconds) => seconds - Math.round(began / 1000)), state, end: () => end.abort() };
}

it('hooks that are late are loaded again after 5 s, then ever less often, at least each 300 s', async () => {
  const { at, state, end } = turnsOf(undefined, () => true);

  await vi.advanceTimersByTimeAsync(1_300_000);

  expect(at()).toEqual([5, 15, 35, 75, 155, 315, 615, 915, 1215]);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(state.hasEnded).toBe(true);
});

it('nothing is loaded again where no hook is late and the folder is not followed', async () => {
  let isLate = true;
  const { at, state } = turnsOf(undefined, () => isLate);
  await vi.advanceTimersByTimeAsync(4000);
  isLate = false;

  await vi.advanceTimersByTimeAsync(600_000);

  expect(at()).toEqual([5]);
  expect(state.hasEnded).toBe(true);
});

it('a hook that is late after a change of the folder is loaded again 5 s later, however long others are late', async () => {
  const changes = new Changes();
  const { at, end } = turnsOf(changes, () => true);
  await vi.advanceTimersByTimeAsync(160_000);
  expect(at()).toEqual([5, 15, 35, 75, 155]);

  for (let change = 0; change < 8; change++) {
    changes.notify();
    await vi.advanceTimersByTimeAsync(1000);
  }
  await vi.advanceTimersByTimeAsync(5000);

  expect(at().slice(5)).toEqual([160, 161, 162, 163, 164, 165, 166, 167, 172]);
  end();
});

it('a change of the folder is heard at once, and begins the times anew', async () => {
  const changes = new Changes();
  let isLate = true;
  const { at, end, state } = turnsOf(changes, () => isLate);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(at()).toEqual([5, 15]);

  isLate = false;
  changes.notify();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(at()).toEqual([5, 15, 16]);
  isLate = true;
  changes.notify();
  await vi.advanceTimersByTimeAsync(6000);

  expect(at()).toEqual([5, 15, 16, 116, 121]);
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(state.hasEnded).toBe(true);
});
