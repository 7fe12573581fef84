import { beforeEach, describe, expect, it, vi } from 'vitest';
import { finalizerOf } from '../../../src/hook/reconcile-mark.ts';
import type { OwnSlice } from '../../../src/hook/shard.ts';
import { latch } from '../../../src/lib/latch.ts';
import { reconcilerRig } from './reconciler-rig.ts';

/** A slice that is all of namespace `near`, and what gives it. */
function nearSlice(hasListedBeside?: () => boolean, release?: () => Promise<void>) {
  const end = new AbortController();
  const slice: OwnSlice = { index: 7, given: end.signal };
  const owned: OwnSlice[] = [];
  const rig = reconcilerRig(
    {},
    { slices: { owned }, ...(hasListedBeside && { hasListedBeside }), ...(release && { release }) },
  );
  for (const kind of [rig.parents, rig.children]) kind.divide('near', slice);
  return { ...rig, slice, end, owned };
}

describe('a reconcile binding whose objects are divided', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it('looks at the parents of a slice that is taken when parents, children and what is watched are listed, each once', async () => {
    const { reconciler, parents, children, content, sync, take, slice, owned } = nearSlice();
    sync();
    reconciler.enable();
    owned.push(slice);
    // The first lists are over, so the slice has to be listed by itself.
    for (const kind of [parents, children]) kind.unlist(slice);
    await parents.put({ name: 'b', namespace: 'near' });
    await parents.put({ name: 'a', namespace: 'near' });
    parents.sliceListed(slice);
    await parents.put({ name: 'a', namespace: 'near', spec: 2 });
    content.sliceListed(slice);
    expect(take()).toEqual([]);

    children.sliceListed(slice);
    reconciler.checkSlices();

    expect(take()).toEqual(['a: start', 'b: start']);
  });

  it('waits for the snapshots beside the objects too', async () => {
    let isBeside = false;
    const { reconciler, parents, children, content, sync, take, slice, owned } = nearSlice(() => isBeside);
    sync();
    reconciler.enable();
    owned.push(slice);
    await parents.put({ name: 'a', namespace: 'near' });
    for (const kind of [parents, children, content]) kind.sliceListed(slice);
    expect(take()).toEqual([]);

    isBeside = true;
    reconciler.checkSlices();

    expect(take()).toEqual(['a: start']);
  });

  it('forgets the parents of a slice that is given: no look, no resync, no release of a finalizer', async () => {
    const { reconciler, binding, parents, children, content, sync, take, takeTriggers, slice, end, owned, told } =
      nearSlice();
    owned.push(slice);
    const finalizers = [finalizerOf(binding)];
    await parents.put({ name: 'a', namespace: 'near', finalizers });
    sync();
    content.sliceListed(slice);
    reconciler.enable();
    expect(takeTriggers().map(({ name, slice: one }) => [name, one])).toEqual([['a', slice]]);

    end.abort();
    await parents.put({ name: 'a', namespace: 'near', spec: 3, finalizers });
    children.sliceGiven(slice);
    parents.sliceGiven(slice);

    expect(reconciler.lookAgain()).toBe(0);
    expect(reconciler.isMoot({ namespace: 'near', name: 'a' })).toBe(true);
    expect(take()).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual(['synced']);
  });

  it('forgets what waits of a slice that is given while a kind is missing', async () => {
    const { reconciler, parents, children, content, sync, take, takeTriggers, slice, end, owned } = nearSlice();
    owned.push(slice);
    await parents.put({ name: 'a', namespace: 'near' });
    sync();
    content.sliceListed(slice);
    reconciler.enable();
    const [trigger] = takeTriggers();
    if (trigger === undefined) throw new Error('no trigger');
    content.status = { isSynced: true, isMissing: true };
    expect(reconciler.hold(trigger)).toBe(true);

    end.abort();
    for (const kind of [parents, children]) kind.sliceGiven(slice);
    content.status = { isSynced: true };
    await vi.advanceTimersByTimeAsync(5000);

    expect(take()).toEqual([]);
  });

  it('has nothing to do for an object that was created anew in another slice, but looks at the new one', async () => {
    const { reconciler, parents, children, content, sync, takeTriggers, slice, owned } = nearSlice();
    owned.push(slice);
    await parents.put({ name: 'a', namespace: 'near' });
    sync();
    content.sliceListed(slice);
    reconciler.enable();
    const [before] = takeTriggers();
    const other: OwnSlice = { index: 8, given: new AbortController().signal };
    owned.push(other);
    for (const kind of [parents, children]) kind.divide('near', other);
    for (const kind of [parents, children, content]) kind.sliceListed(other);
    await parents.put({ name: 'a', namespace: 'near', uid: 'anew' });

    const [after] = takeTriggers();
    if (before === undefined || after === undefined) throw new Error('no trigger');
    expect([before.slice, after.slice]).toEqual([slice, other]);
    expect([before, after].map((trigger) => reconciler.isMoot(trigger))).toEqual([true, false]);
    expect(reconciler.view(before)).toBeUndefined();
  });

  it('is quiet when the finalizer is off the objects of a given slice that left its selection, also meanwhile', async () => {
    const released = [latch(), latch()] as const;
    const [first, second] = released;
    const calls = released.values();
    const { reconciler, binding, parents, children, content, sync, slice, end, owned } = nearSlice(
      undefined,
      async () => calls.next().value?.promise,
    );
    owned.push(slice);
    for (const name of ['a', 'b']) await parents.put({ name, namespace: 'near', finalizers: [finalizerOf(binding)] });
    sync();
    content.sliceListed(slice);
    reconciler.enable();
    parents.delete('a', 'near');
    end.abort();
    let isQuiet = false;
    const quiet = reconciler.quiet(new AbortController().signal).then(() => (isQuiet = true));
    await vi.advanceTimersByTimeAsync(1000);
    expect(isQuiet).toBe(false);

    parents.delete('b', 'near');
    first.resolve();
    await vi.advanceTimersByTimeAsync(1000);
    expect(isQuiet).toBe(false);
    second.resolve();
    await quiet;

    expect(isQuiet).toBe(true);
    children.sliceGiven(slice);
  });
});
