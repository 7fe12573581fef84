import { afterEach, describe, expect, it } from 'vitest';
import type { Hook } from '../../src/hook/binding.ts';
import { newTask, queueOf } from '../../src/hook/task.ts';
import { boot, StartupHooks } from '../../src/units/boot.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { settled } from '../support/monitor-rig.ts';
import { describeTask, unitRig, type UnitRig } from '../support/unit-rig.ts';

const running: UnitRig[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(async (rig) => rig.stop()));
});

function unit(name: string, bindings: Hook['bindings']): UnitRig {
  const rig = unitRig(name, bindings);
  running.push(rig);
  return rig;
}

const pods = () => kubernetesBinding('pods');
const onStartup = (order: number): Hook['bindings'][number] => ({ type: 'onStartup', order });

function bootRig(...rigs: readonly UnitRig[]) {
  const startup = new StartupHooks();
  const pushed: string[] = [];
  const controller = new AbortController();
  const booted = boot(
    rigs.map((rig) => rig.unit),
    {
      emit: (hook, trigger) =>
        void pushed.push(`${queueOf(hook, trigger).name}: ${hook.name} ${describeTask(newTask(hook, trigger, 0))}`),
      startup,
    },
    controller.signal,
  );
  return { startup, pushed, booted, controller };
}

describe('boot', () => {
  it('queues onStartup hooks by their number, those of one number in the order of the paths', () => {
    const rigs = [unit('a.sh', [onStartup(20)]), unit('b.sh', [onStartup(1)]), unit('c.sh', [onStartup(1)])];

    const { pushed } = bootRig(...rigs);

    expect(pushed).toEqual(['main: b.sh onStartup', 'main: c.sh onStartup', 'main: a.sh onStartup']);
  });

  it('holds back every hook until all onStartup hooks have succeeded', async () => {
    const binding = pods();
    const first = unit('a.sh', [onStartup(1)]);
    const second = unit('b.sh', [binding]);
    second.sync(binding);

    const { startup, booted } = bootRig(first, second);
    await settled();
    expect(second.queued()).toEqual([]);
    startup.finish(first.hook);
    await booted;

    expect(second.queued()).toEqual(['main: Synchronization pods']);
  });

  it('gives the hooks their turns in order, each when all its bindings have their first list', async () => {
    const [a, b] = [pods(), pods()];
    const first = unit('a.sh', [a]);
    const second = unit('b.sh', [b]);

    const { booted } = bootRig(first, second);
    second.sync(b);
    await settled();
    expect(second.queued()).toEqual([]);
    first.sync(a);
    await booted;

    expect([first.queued(), second.queued()]).toEqual([['main: Synchronization pods'], ['main: Synchronization pods']]);
  });

  it('lets only the hook in trouble lose its turn', async () => {
    const [a, b] = [pods(), pods()];
    const first = unit('a.sh', [a]);
    const second = unit('b.sh', [b]);
    second.sync(b);

    const { booted } = bootRig(first, second);
    first.problem(a, 'no such kind');
    await settled();
    expect([first.queued(), second.queued()]).toEqual([[], ['main: Synchronization pods']]);
    first.sync(a);
    await booted;

    expect(first.queued()).toEqual(['main: Synchronization pods']);
  });

  it('goes past a hook that was removed while it had no list yet', async () => {
    const [a, b] = [pods(), pods()];
    const first = unit('a.sh', [a]);
    const second = unit('b.sh', [b]);
    second.sync(b);

    const { booted, controller } = bootRig(first, second);
    await first.stop();
    await settled();

    expect(second.queued()).toEqual(['main: Synchronization pods']);
    controller.abort();
    await booted;
  });

  it('ends when the operator does, and gives no turn then', async () => {
    const binding = pods();
    const first = unit('a.sh', [onStartup(1), binding]);
    first.sync(binding);

    const { booted, controller } = bootRig(first);
    controller.abort();
    await booted;

    expect(first.queued()).toEqual([]);
  });
});

describe('the startup hooks', () => {
  const [a, b] = [hookWith('a.sh'), hookWith('b.sh')];

  it('are done where there are none', async () => {
    const startup = new StartupHooks();
    startup.expect([]);

    expect(startup.isDone).toBe(true);
    await startup.done;
  });

  it('are done when the last one is, also one that was added meanwhile', async () => {
    const startup = new StartupHooks();
    let isDone = false;
    startup.expect([a]);
    const done = startup.done.then(() => {
      isDone = true;
    });
    startup.expect([b]);

    startup.finish(a);
    await settled();
    expect([startup.isDone, isDone]).toEqual([false, false]);
    startup.finish(b);
    await done;

    expect(startup.isDone).toBe(true);
  });

  it('can be expected again after they were done', async () => {
    const startup = new StartupHooks();
    startup.expect([a]);
    startup.finish(a);
    startup.expect([b]);
    let isDone = false;
    void startup.done.then(() => {
      isDone = true;
    });
    await settled();

    expect(isDone).toBe(false);
  });
});
