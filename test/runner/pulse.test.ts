import { describe, expect, it } from 'vitest';
import { Pulse, type PulseAdvice } from '../../src/runner/pulse.ts';

const idle = (): boolean => false;
const busy = (): boolean => true;

/** Ticks under a fake clock until the advice is to kill; returns each advice with its time. */
function driven(pulse: Pulse, isBusy: () => boolean, runs = 1) {
  const advices: [atMs: number, advice: PulseAdvice][] = [];
  for (let atMs = pulse.pauseMs(runs); atMs <= 120_000; atMs += pulse.pauseMs(runs)) {
    const advice = pulse.tick(isBusy);
    advices.push([atMs, advice]);
    if (advice === 'kill') break;
  }
  return advices;
}

describe('the pulse of the spawner', () => {
  it('asks after 1 s without an answer to a request, and gives up after 5 s', () => {
    const pulse = new Pulse();
    pulse.ask();

    expect(driven(pulse, idle)).toEqual([
      [1000, 'ping'],
      [2000, 'wait'],
      [3000, 'wait'],
      [4000, 'wait'],
      [5000, 'kill'],
    ]);
  });

  it('gives one that only waits for a processor or a disk 30 s', () => {
    const pulse = new Pulse();
    pulse.ask();

    expect(driven(pulse, busy).at(-1)).toEqual([30_000, 'kill']);
  });

  it.each([
    ['during a run, 10 s', 1, 10_000],
    ['without any, 35 s', 0, 35_000],
  ])('gives up one that was asked nothing: %s after the last word', (_title, runs, afterMs) => {
    const pulse = new Pulse();
    pulse.hear();
    pulse.tick(idle);

    expect(driven(pulse, idle, runs).at(-1)).toEqual([afterMs, 'kill']);
  });

  it('takes any word for an answer', () => {
    const pulse = new Pulse();
    pulse.ask();
    for (let i = 0; i < 4; i++) pulse.tick(idle);

    pulse.hear();
    pulse.ask();

    expect(driven(pulse, idle).at(-1)).toEqual([5000, 'kill']);
  });

  it('takes a pause of this process for 1 s of silence, however long it was', () => {
    const pulse = new Pulse();
    pulse.ask();

    // One tick fires an hour late.
    const advices = Array.from({ length: 4 }, () => pulse.tick(idle));

    expect(advices).not.toContain('kill');
  });

  it('is felt twice a minute at most while there is nothing to do', () => {
    const pulse = new Pulse();
    let pings = 0;
    let ticks = 0;
    for (let atMs = 0; atMs < 600_000; atMs += pulse.pauseMs(0)) {
      ticks++;
      if (pulse.tick(idle) !== 'ping') continue;
      pings++;
      pulse.hear();
    }

    expect(pings).toBeLessThanOrEqual(20);
    expect(ticks).toBeLessThanOrEqual(45);
  });

  it('reports a late answer from 2 s on', () => {
    const pulse = new Pulse();
    pulse.ask();

    const late = Array.from({ length: 3 }, () => (pulse.tick(idle), pulse.lateMs));
    pulse.hear();

    expect(late).toEqual([undefined, 2000, 3000]);
    expect(pulse.lateMs).toBeUndefined();
  });
});
