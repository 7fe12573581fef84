import { beforeEach, describe, expect, it, vi } from 'vitest';
import { reconcilerRig } from './reconciler-rig.ts';

describe('the objects of a reconcile binding that have to wait', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it('lets an object rest, and looks at it within 1 s of the end of its rest', async () => {
    const { reconciler, parents, sync, take, trigger } = reconcilerRig();
    await parents.put({ name: 'a' });
    sync();
    reconciler.enable();
    take();

    reconciler.rest(trigger('a'), 5000);
    expect(reconciler.hold(trigger('a'))).toBe(true);
    await vi.advanceTimersByTimeAsync(4999);
    expect(take()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(take()).toEqual(['a: changed']);
    expect(reconciler.hold(trigger('a'))).toBe(false);
  });

  it('sets no timer while no object has to wait', async () => {
    const { reconciler, parents, sync, trigger } = reconcilerRig();
    await parents.put({ name: 'a' });
    sync();
    reconciler.enable();
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);

    reconciler.rest(trigger('a'), 5000);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(6000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
