import { describe, expect, it } from 'vitest';

import { LineProgress, TRICKLE_LIMIT_MS } from '../../../src/kube/http/line-progress.ts';

/** An arrival: its bytes, and their effect on the lines of the stream. */
interface Arrival {
  readonly atMs: number;
  readonly bytes: number;
  /** Absent for bytes of the framing, which are not part of a line. */
  readonly line?: 'part' | 'end' | 'end and part';
}

/** When the stream is given up; undefined when it is not within a minute after the last arrival. */
function stuckAtMs(arrivals: readonly Arrival[]): number | undefined {
  const progress = new LineProgress();
  const waiting = [...arrivals];
  let lookAtMs = Infinity;
  const lastMs = (arrivals.at(-1)?.atMs ?? 0) + 60_000;
  for (let nowMs = 0; nowMs <= lastMs; nowMs++) {
    if (waiting[0]?.atMs === nowMs) {
      arrive(progress, waiting.shift());
      lookAtMs = Math.min(lookAtMs, nowMs + TRICKLE_LIMIT_MS);
    }
    if (nowMs < lookAtMs) continue;
    const { isStuck, nextMs = Infinity } = progress.look(nowMs);
    if (isStuck) return nowMs;
    lookAtMs = nowMs + nextMs;
  }
  return undefined;
}

function arrive(progress: LineProgress, arrival: Arrival | undefined): void {
  if (arrival === undefined) return;
  const { atMs, bytes, line } = arrival;
  progress.grew(atMs, bytes);
  if (line !== undefined) progress.came(atMs, { hasEnd: line !== 'part', isMidLine: line !== 'end' });
}

const every = (stepMs: number, count: number, bytes: number, line?: Arrival['line']): readonly Arrival[] =>
  Array.from({ length: count }, (_, index) => ({
    atMs: index * stepMs,
    bytes,
    ...(line === undefined ? {} : { line }),
  }));

describe('the progress of lines', () => {
  it.each(['part', undefined] as const)('gives up within 3 s what brings a byte a second (%s)', (line) => {
    expect(stuckAtMs(every(1000, 60, 1, line))).toBeLessThanOrEqual(3000);
  });

  it('gives up within 3 s a line that stays in its middle', () => {
    expect(stuckAtMs([{ atMs: 0, bytes: 400, line: 'part' }])).toBeLessThanOrEqual(3000);
    expect(stuckAtMs([{ atMs: 0, bytes: 4000, line: 'end and part' }])).toBeLessThanOrEqual(4000);
  });

  it('takes all the time for a line of 10 MB at 1 MB/s, and at 4 KiB/s', () => {
    const fast = every(10, 1000, 10_000, 'part');
    const slow = every(1000, 2560, 4096, 'part');

    for (const parts of [fast, slow]) {
      const end: Arrival = { atMs: (parts.at(-1)?.atMs ?? 0) + 1, bytes: 1, line: 'end' };
      expect(stuckAtMs([...parts, end])).toBeUndefined();
    }
  });

  it('leaves a stream alone that is quiet between its lines', () => {
    expect(stuckAtMs(every(1000, 60, 100, 'end'))).toBeUndefined();
    expect(stuckAtMs([{ atMs: 0, bytes: 100, line: 'end' }])).toBeUndefined();
  });

  it('leaves a stream alone in which the end of a chunk comes after its line', () => {
    const line: Arrival = { atMs: 0, bytes: 100, line: 'end' };

    expect(stuckAtMs([line, { atMs: 300, bytes: 2 }])).toBeUndefined();
  });

  it('does not count the time in which the reader itself holds up the stream', () => {
    const progress = new LineProgress();
    progress.grew(0, 100);
    progress.came(0, { hasEnd: false, isMidLine: true });

    progress.excuse(60_000);

    expect(progress.look(60_000)).toEqual({ isStuck: false, nextMs: 1500 });
    expect(progress.look(62_500)).toMatchObject({ isStuck: true });
  });
});
