import { describe, expect, it, vi } from 'vitest';
import type { Hook } from '../../../src/hook/binding.ts';
import type { WorkExecutor } from '../../../src/runner/work/work-executor.ts';
import { hookWith } from '../../support/bindings.ts';
import { never } from '../../support/hook-rig.ts';
import { pass, workHook, workRig } from '../../support/work-executor-rig.ts';

/** Those who wait for a place, and who was let go. */
function waiters(executor: WorkExecutor, hook: Hook = workHook()) {
  const letGo: number[] = [];
  let count = 0;
  return {
    letGo,
    add: (signal = never) => {
      const number = (count += 1);
      return executor.room(hook, signal).then(() => void letGo.push(number));
    },
  };
}

describe('room', () => {
  it('lets go in the order of the calls as many as there are free places', async () => {
    const { worker, executor } = workRig();
    const { letGo, add } = waiters(executor);
    const all = [add(), add(), add()];
    const a = worker({ capacity: 2 });
    void a.claim(2, 30_000);
    await pass(999);

    expect(letGo).toEqual([1, 2]);
    expect(all).toHaveLength(3);
  });

  it('gives the place of one to another that has not executed within a second', async () => {
    const { worker, executor } = workRig();
    const { letGo, add } = waiters(executor);
    const all = [add(), add()];
    void worker().claim(1, 30_000);
    await pass(999);
    const before = [...letGo];
    await pass(1);

    expect([before, letGo]).toEqual([[1], [1, 2]]);
    await Promise.all(all);
  });

  it('gives a place to nobody that a run takes', async () => {
    const { worker, executor, run } = workRig();
    const { letGo, add } = waiters(executor);
    const a = worker();
    const claim = a.claim(1, 30_000);
    await pass(0);
    const first = add();
    await first;
    const second = add();
    run();
    await pass(0);
    const answer = await claim;
    await pass(5000);
    const before = [...letGo];
    const taken = answer.type === 'ok' ? answer.value[0] : undefined;
    if (taken !== undefined) a.result({ runId: taken.run.runId, epoch: taken.epoch });
    void a.claim(1, 30_000);
    await pass(0);

    expect([before, letGo]).toEqual([[1], [1, 2]]);
    await second;
  });

  it('lets nobody go for runs that wait already, or for workers with other hooks', async () => {
    const { worker, executor, run } = workRig();
    const { letGo, add } = waiters(executor);
    void worker({ hooks: 'B' }).claim(1, 10_000);
    await pass(0);
    run();
    await pass(0);
    void add().catch(() => {});
    void worker({ capacity: 1 }).claim(1, 10_000);
    await pass(5000);

    expect(letGo).toEqual([]);
  });

  it('lets nobody go for a worker that does not ask, as one that is about to leave', async () => {
    const { worker, executor } = workRig();
    const { letGo, add } = waiters(executor);
    const a = worker();
    await a.take();
    await pass(1000);
    void add().catch(() => {});
    await pass(1000);

    expect(letGo).toEqual([]);
  });

  it('waits without a timer where there is no worker, and rejects with the reason of its signal', async () => {
    const { executor } = workRig();
    const { letGo, add } = waiters(executor, workHook('a.sh', {}, 'other'));
    const stop = new AbortController();
    const before = vi.getTimerCount();
    const one = add(stop.signal);
    await pass(60_000);
    const after = vi.getTimerCount();
    stop.abort(new Error('enough'));

    await expect(one).rejects.toThrow('enough');
    expect([letGo, after - before]).toEqual([[], 0]);
    expect(executor.pools()).toEqual([]);
  });

  it('has who waits counted as waiting, and told of when no worker comes', async () => {
    const { executor, outages } = workRig();
    void executor.room(workHook(), AbortSignal.any([])).catch(() => {});
    await pass(60_000);

    expect(executor.pools()).toMatchObject([{ waiting: 1 }]);
    expect(outages).toEqual([{ pool: 'default', waiting: 1, outdated: 0 }]);
  });

  it('is there at once for a hook that no workers execute', async () => {
    const { executor } = workRig();

    await executor.room(hookWith('local.sh'), never);
    expect(executor.pools()).toEqual([]);
  });
});
