import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/lib/sleep.ts';
import { asked, jobHook } from './jobs-hooks.ts';
import { leaderOf, leads, otherLeader, SHORT_LEASE } from './jobs-leadership.ts';
import { startJobs, type JobsRig } from './jobs-rig.ts';
import { withoutApiserver } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';
import { ALIVE_UNTIL_TOLD, worksIn, wrongWorks, type Work } from './workers-audit.ts';

const plane = sharedControlPlane();
const OBJECTS = ['a', 'b', 'c', 'd', 'e', 'f'];
const never = new AbortController().signal;

const HOOKS = {
  'many.sh': jobHook({
    bindings: asked('many', {
      queue: undefined,
      concurrency: 'byObject',
      parallelism: 50,
    }),
    pool: 'default',
    work: ALIVE_UNTIL_TOLD,
  }),
};

/** Waits until so many processes are at work, or have been. */
async function begun(rig: JobsRig, count: number): Promise<readonly Work[]> {
  return eventually(async () => {
    const works = worksIn(rig.shared());
    expect(works.length, works.length < count ? await rig.log() : '').toBeGreaterThanOrEqual(count);
    return works;
  }, 120_000);
}

/** All objects were worked on to the end and applied, and nothing of it is wrong. */
async function allDone(rig: JobsRig, names: readonly string[]): Promise<void> {
  await eventually(async () => {
    const counts = await Promise.all(names.map(async (name) => (await rig.named(`did-${name}-`)).length));
    expect(Math.min(...counts), await rig.log()).toBeGreaterThanOrEqual(1);
  }, 120_000);
  // Time for what must not come.
  await sleep(3000, never);
  expect(wrongWorks(worksIn(rig.shared()), await rig.requests())).toEqual([]);
}

/** Waits until that many operators have begun to follow the objects, or another one leads, and has them change. */
async function again(rig: JobsRig, starts: number): Promise<void> {
  await eventually(async () => {
    const text = await rig.log();
    expect(text.split('serving runs in other Pods').length - 1, text).toBeGreaterThanOrEqual(starts);
  }, 60_000);
  await sleep(3000, never);
  await rig.kubectl('annotate', 'configmap', ...OBJECTS, 'touched=yes');
}

async function workerOf(rig: JobsRig, object: string): Promise<string> {
  const works = worksIn(rig.shared()).filter((work) => work.object === object);
  return works.toSorted((a, b) => Number(a.begin - b.begin)).at(-1)?.host ?? '';
}

describe('the runs of a worker', { timeout: 400_000 }, () => {
  it('go to another one after it was killed, before, during and after the upload of a result, and none is applied twice', async () => {
    await using rig = await startJobs({ plane, hooks: HOOKS, workers: 2, capacity: 20 });
    await rig.ask('many', ...OBJECTS);
    await begun(rig, 6);

    const first = await workerOf(rig, 'a');
    // Its hooks end with it, and the results of some are on their way or taken.
    rig.tell('a');
    await sleep(50, never);
    await rig.kubectl('delete', 'pod', first, '--grace-period=0', '--force');
    await eventually(async () => {
      const moved = worksIn(rig.shared()).filter(({ host }) => host !== first);
      expect(new Set(moved.map(({ object }) => object)).size, await rig.log()).toBeGreaterThanOrEqual(5);
    }, 120_000);
    rig.tell(...OBJECTS);

    await allDone(rig, OBJECTS);
  });

  it('have ended before another worker has them when it stands still, or is cut off the network', async () => {
    await using rig = await startJobs({ plane, hooks: HOOKS, workers: 2, capacity: 20 });
    await rig.ask('many', ...OBJECTS);
    await begun(rig, 6);

    const still = await workerOf(rig, 'a');
    await rig.kubelet.kill({ namespace: rig.namespace, name: still }, { signal: 'SIGSTOP' });
    await eventually(async () => expect(await workerOf(rig, 'a')).not.toBe(still), 60_000);
    await rig.kubelet.kill({ namespace: rig.namespace, name: still }, { signal: 'SIGCONT' });
    const alone = await workerOf(rig, 'a');
    const rejoin = await rig.kubelet.cutOff({ namespace: rig.namespace, name: alone });
    await eventually(async () => expect(await workerOf(rig, 'a')).not.toBe(alone), 60_000);
    await rejoin();
    rig.tell(...OBJECTS);

    await allDone(rig, OBJECTS);
  });
});

describe('an operator whose workers have runs', { timeout: 400_000 }, () => {
  it('is killed: no run of its workers overlaps with one of the next, and all is applied', async () => {
    await using rig = await startJobs({ plane, hooks: HOOKS, workers: 2, capacity: 20 });
    await rig.ask('many', ...OBJECTS);
    await begun(rig, 6);

    const [operator] = await rig.pods('operator');
    await rig.kubelet.kill({ namespace: rig.namespace, name: operator?.metadata?.name ?? '' });
    await again(rig, 2);
    await begun(rig, 12);
    rig.tell(...OBJECTS);

    await allDone(rig, OBJECTS);
  });

  it('stands still until another leads: the next waits until its runs have ended, and nothing of it counts', async () => {
    await using rig = await startJobs({ plane, hooks: HOOKS, workers: 2, capacity: 20, replicas: 2, env: SHORT_LEASE });
    await leads(rig);
    await rig.ask('many', ...OBJECTS);
    await begun(rig, 6);

    const first = await leaderOf(rig);
    await rig.kubelet.kill({ namespace: rig.namespace, name: first }, { signal: 'SIGSTOP' });
    await otherLeader(rig, first);
    await again(rig, 1);
    await begun(rig, 12);
    await rig.kubelet.kill({ namespace: rig.namespace, name: first }, { signal: 'SIGCONT' });
    rig.tell(...OBJECTS);

    await allDone(rig, OBJECTS);
  });

  it('does without the API server for a minute: its workers keep their runs, and what ended meanwhile and later is applied', async () => {
    await using rig = await startJobs({ plane, hooks: HOOKS, workers: 2, capacity: 20 });
    await rig.ask('many', ...OBJECTS);
    await begun(rig, 6);

    await withoutApiserver(plane, async () => {
      await sleep(20_000, never);
      rig.tell('a', 'b', 'c');
      await sleep(40_000, never);
    });
    for (const name of ['a', 'b', 'c']) await rig.done(name);
    rig.tell(...OBJECTS);
    await allDone(rig, OBJECTS);

    // Those whose patches could not be applied meanwhile have failed, and are run again, as everywhere.
    const works = worksIn(rig.shared());
    expect(
      works.filter(({ object }) => ['d', 'e', 'f'].includes(object)),
      await rig.log(),
    ).toHaveLength(3);
    expect(works.every(({ hasEnded }) => hasEnded)).toBe(true);
  });
});
