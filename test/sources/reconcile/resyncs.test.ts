import { beforeEach, describe, expect, it, vi } from 'vitest';
import { reconcilerRig } from './reconciler-rig.ts';

describe('the resyncs of a reconcile binding', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it('spreads the resyncs after the start over the whole period, and looks at each object within it', async () => {
    const { reconciler, parents, sync, takeTriggers } = reconcilerRig({ resyncPeriodMs: 600_000 });
    const count = 500;
    for (let index = 0; index < count; index++) await parents.put({ name: `site-${index}` });
    sync();
    reconciler.enable();
    for (const trigger of takeTriggers()) reconciler.view(trigger);

    const perTenth: number[] = [];
    for (let tenth = 0; tenth < 10; tenth++) {
      await vi.advanceTimersByTimeAsync(60_000);
      perTenth.push(takeTriggers().length);
    }

    expect(perTenth.reduce((sum, one) => sum + one)).toBe(count);
    for (const one of perTenth) expect(one).toBeGreaterThan(25);
  });

  it('does not look at an object again that ran since', async () => {
    const { reconciler, parents, sync, take, trigger } = reconcilerRig({ resyncPeriodMs: 600_000 });
    await parents.put({ name: 'a' });
    sync();
    reconciler.enable();
    take();

    for (let minute = 0; minute < 60; minute += 5) {
      reconciler.view(trigger('a'));
      await vi.advanceTimersByTimeAsync(300_000);
    }

    expect(take()).toEqual([]);
  });
});
