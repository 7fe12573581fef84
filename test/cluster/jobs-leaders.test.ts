import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sleep } from '../../src/lib/sleep.ts';
import { noted, spansIn, wrongsIn, type Span } from './jobs-audit.ts';
import { asked, jobHook, UNTIL_TOLD } from './jobs-hooks.ts';
import { leaderOf, leads, otherLeader, SHORT_LEASE } from './jobs-leadership.ts';
import { startJobs, type JobsRig } from './jobs-rig.ts';
import { withoutApiserver } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';

const plane = sharedControlPlane();
const never = new AbortController().signal;
const byObject = (hook: string, more: object = {}): object =>
  asked(hook, { queue: undefined, concurrency: 'byObject', parallelism: 50, ...more });
const FAST = { HOOKLET_JOBS_PER_SECOND: '0', HOOKLET_JOBS_MAX: '60' };

/** Waits until so many runs are at work, or have been. */
async function begun(rig: JobsRig, count: number): Promise<readonly Span[]> {
  return eventually(async () => {
    const spans = spansIn(rig.shared());
    expect(spans.length, spans.length < count ? await rig.log() : '').toBeGreaterThanOrEqual(count);
    return spans;
  }, 180_000);
}

/** How many runs of earlier leaders the operators that are there have taken over. */
async function adopted(rig: JobsRig): Promise<number> {
  return (await rig.log()).split('it is taken over').length - 1;
}

async function quiet(rig: JobsRig): Promise<void> {
  await eventually(async () => expect(await rig.jobs(), await rig.log()).toEqual([]), 120_000);
}

describe('the runs of an operator that is killed', { timeout: 400_000 }, () => {
  it('while 50 Jobs run go on: the work on each object is applied, none twice, and no two of one object at once', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `o${index + 1}`);
    const [early, late] = [names.slice(0, 25), names.slice(25)];
    const until = UNTIL_TOLD.replace('sleep 0.2', 'sleep 1');
    const bindings = byObject('many', { executeHookOnSynchronization: true });
    const hooks = { 'many.sh': jobHook({ bindings, work: noted(until) }) };
    await using rig = await startJobs({ plane, hooks, env: FAST });
    await rig.ask('many', ...names);
    const first = await begun(rig, 50);
    expect(first.map(({ object }) => object).toSorted()).toEqual(names.toSorted());

    const [operator] = await rig.pods('operator');
    await rig.kubectl('delete', 'pod', operator?.metadata?.name ?? '', '--grace-period=0', '--force');
    // Half of the hooks end while nobody leads.
    rig.tell(...early);
    await eventually(async () => expect(await adopted(rig)).toBe(50), 120_000);
    for (const name of early) await rig.done(name);
    await rig.kubectl('annotate', 'configmap', ...late.slice(0, 5), 'touched=yes');
    // Long enough for another run to begin that must not.
    await sleep(5000, never);
    expect(spansIn(rig.shared())).toHaveLength(50);
    rig.tell(...late);

    await eventually(async () => {
      const done = await Promise.all(first.map(async ({ object, run }) => rig.named(`did-${object}-${run}`)));
      expect(done.flat()).toHaveLength(50);
    }, 120_000);
    // The Synchronization of the new leader looks at all objects anew.
    await begun(rig, 100);
    await quiet(rig);
    expect(wrongsIn(spansIn(rig.shared()), await rig.requests())).toEqual([]);
  });
});

describe('two leaders in turn', { timeout: 400_000 }, () => {
  it('take the runs of one that stands still, and when it goes on nothing is applied twice', async () => {
    const hooks = { 'kept.sh': jobHook({ bindings: byObject('kept'), work: noted(UNTIL_TOLD) }) };
    await using rig = await startJobs({ plane, hooks, replicas: 2, env: { ...FAST, ...SHORT_LEASE } });
    await leads(rig);
    await rig.ask('kept', 'a', 'b', 'c', 'd', 'e');
    await begun(rig, 5);

    const first = await leaderOf(rig);
    await standStill(rig, first);
    // These results lie at a leader that stands still, until it goes on while another has the runs.
    rig.tell('a', 'b', 'c');
    const second = await otherLeader(rig, first);
    await eventually(async () => expect(await adopted(rig)).toBe(5), 60_000);
    await goOn(rig, first);
    for (const name of ['a', 'b', 'c']) await rig.done(name);
    await eventually(async () => expect(await endsOf(rig)).toContain(1), 30_000);

    // And these at one that had taken the runs over.
    await standStill(rig, second);
    rig.tell('d', 'e');
    await otherLeader(rig, second);
    await goOn(rig, second);
    for (const name of ['d', 'e']) await rig.done(name);
    await quiet(rig);
    await eventually(async () => expect(await endsOf(rig), await rig.log()).toEqual([1, 1]), 30_000);

    expect(wrongsIn(spansIn(rig.shared()), await rig.requests())).toEqual([]);
    expect(spansIn(rig.shared())).toHaveLength(5);
  });
});

/** The exit codes with which the operators have ended that were started anew. */
async function endsOf({ pods }: JobsRig): Promise<readonly (number | undefined)[]> {
  const found = (await pods('operator')).flatMap(({ status }) => status?.containerStatuses ?? []);
  return found.map(({ lastState }) => lastState?.terminated?.exitCode);
}

async function standStill({ kubelet, namespace }: JobsRig, name: string): Promise<void> {
  await kubelet.kill({ namespace, name }, { signal: 'SIGSTOP' });
}

async function goOn({ kubelet, namespace }: JobsRig, name: string): Promise<void> {
  await kubelet.kill({ namespace, name }, { signal: 'SIGCONT' });
}

describe('a run while the API server is away', { timeout: 400_000 }, () => {
  let rig: JobsRig;
  beforeAll(async () => {
    const hooks = { 'patient.sh': jobHook({ bindings: byObject('patient'), work: noted(UNTIL_TOLD) }) };
    rig = await startJobs({ plane, hooks, env: FAST });
  }, 180_000);
  afterAll(async () => rig[Symbol.asyncDispose](), 60_000);

  it('is applied by an operator that comes after the one that has taken its result', async () => {
    await rig.ask('patient', 'handed');
    await begun(rig, 1);
    const [operator] = await rig.pods('operator');

    await withoutApiserver(plane, async () => {
      rig.tell('handed');
      await sleep(5000, never);
      await rig.kubelet.kill({ namespace: rig.namespace, name: operator?.metadata?.name ?? '' });
    });
    await rig.done('handed');
    await quiet(rig);

    expect(wrongsIn(spansIn(rig.shared()), await rig.requests())).toEqual([]);
  });

  it('for a minute is applied afterwards, whether its hook ends meanwhile or later', async () => {
    await rig.ask('patient', 'meanwhile', 'later');
    await begun(rig, 3);

    await withoutApiserver(plane, async () => {
      await sleep(20_000, never);
      rig.tell('meanwhile');
      await sleep(40_000, never);
    });
    await rig.done('meanwhile');
    rig.tell('later');
    await rig.done('later');
    await quiet(rig);

    expect(wrongsIn(spansIn(rig.shared()), await rig.requests())).toEqual([]);
  });
});
