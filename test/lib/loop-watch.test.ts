import { expect, it } from 'vitest';
import { watchLoop } from '../../src/lib/loop-watch.ts';

it('reports how long the event loop was blocked, and measures closely once it is busy', async () => {
  const ended = new AbortController();
  const delays: number[] = [];
  const busy: number[] = [];
  // Until a delay was measured with the short period: while nothing happens, the period is a second.
  const onDelay = (delayMs: number): void => {
    delays.push(delayMs);
    if (busy.length > 0 && delays.length > 10) ended.abort();
    else block(20);
  };

  const holding = setInterval(() => block(20), 25);
  await watchLoop({ onDelay, onBusy: (busyMs) => void busy.push(busyMs) }, ended.signal);
  clearInterval(holding);

  expect(Math.max(...delays)).toBeGreaterThan(5);
  expect(busy[0]).toBeGreaterThan(100);
});

it('ends at abort', async () => {
  const delays: number[] = [];

  await watchLoop({ onDelay: (delayMs) => void delays.push(delayMs), onBusy: () => {} }, AbortSignal.abort());

  expect(delays).toEqual([]);
});

function block(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
