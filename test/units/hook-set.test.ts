import { describe, expect, it } from 'vitest';
import { HookConfigError } from '../../src/errors.ts';
import type { HookFile } from '../../src/hook/discover.ts';
import { HookSet } from '../../src/units/hook-set.ts';
import { HookUnit } from '../../src/units/hook-unit.ts';
import { hookWith } from '../support/bindings.ts';
import { withoutSchedules } from '../support/idle-schedule.ts';

/** A hook set on a folder that is a map: the text of each file is its fingerprint, and `broken` does not load. */
function hookSetRig({ mayWork = Promise.resolve() }: { readonly mayWork?: Promise<void> } = {}) {
  const folder = new Map<string, string>();
  const told: string[] = [];
  const controller = new AbortController();
  let isSlow = false;
  let whileLoading = async (): Promise<void> => {};
  const set = new HookSet({
    discover: async () => ({ files: [...folder.keys()].toSorted().map(fileOf), warnings: [] }),
    fingerprints: async (files) => new Map(files.map(({ name }) => [name, folder.get(name) ?? ''])),
    load: async (files) => {
      told.push(`load ${files.map(({ name }) => name).join(' ')}`);
      await whileLoading();
      const isBroken = ({ name }: HookFile): boolean => folder.get(name) === 'broken';
      return {
        hooks: files.filter((file) => !isBroken(file)).map(({ name }) => hookWith(name)),
        broken: files
          .filter((file) => isBroken(file))
          .map(({ name }) => new HookConfigError(name, [{ path: '', message: 'bad' }], { isRetryable: isSlow })),
      };
    },
    mayWork,
    createUnit: (hook) =>
      new HookUnit(hook, {
        emit: () => {},
        requeue: () => {},
        createMonitor: () => ({ run: async () => {}, snapshot: () => [], status: () => ({ isSynced: true }) }),
        ...withoutSchedules,
        now: Date.now,
        onEnabled: () => {},
        onProblem: () => {},
      }),
    onLoaded: ({ name }) => void told.push(`loaded ${name}`),
    onBroken: ({ hook }) => void told.push(`broken ${hook}`),
    onStopped: (name) => void told.push(`stopped ${name}`),
    onRemoved: (name) => void told.push(`removed ${name}`),
    signal: controller.signal,
    onCrash: (error) => void told.push(`crash ${String(error)}`),
  });
  return {
    folder,
    set,
    controller,
    /** What happened since the last call. */
    told: () => told.splice(0),
    onLoad: (action: () => Promise<void>) => {
      whileLoading = action;
    },
    /** Whether the machine is what broken hooks are broken for. */
    slow: (is: boolean) => void (isSlow = is),
    names: () => set.units.map(({ hook }) => hook.name),
  };
}

function fileOf(name: string): HookFile {
  return { name, path: `/hooks/${name}`, type: 'process' };
}

describe('the hooks of a folder', () => {
  it('are loaded and started, in the order of their paths', async () => {
    const { folder, set, names, told } = hookSetRig();
    folder.set('b.sh', '1').set('a.sh', '1').set('B.sh', '1');

    const started = await set.refresh();

    expect(started.map(({ hook }) => hook.name)).toEqual(['B.sh', 'a.sh', 'b.sh']);
    expect(names()).toEqual(['B.sh', 'a.sh', 'b.sh']);
    expect(told()).toEqual(['load B.sh a.sh b.sh', 'loaded B.sh', 'loaded a.sh', 'loaded b.sh']);
  });

  it('that were too late are loaded again at each refresh, and those that are broken are not', async () => {
    const { folder, set, names, told, slow } = hookSetRig();
    folder.set('a.sh', '1').set('b.sh', 'broken');
    slow(true);
    await set.refresh();
    expect(set.isLate).toBe(true);
    slow(false);
    await set.refresh();
    expect(set.isLate).toBe(false);
    await set.refresh();

    expect(told()).toEqual(['load a.sh b.sh', 'broken b.sh', 'loaded a.sh', 'load b.sh', 'broken b.sh', 'load ']);
    expect(names()).toEqual(['a.sh']);
  });

  it('that are loaded again are broken until they are loaded', async () => {
    const { folder, set, slow, onLoad } = hookSetRig();
    folder.set('b.sh', 'broken');
    slow(true);
    await set.refresh();
    const seen: number[] = [];
    onLoad(async () => void seen.push(set.broken.length));
    folder.set('b.sh', 'mended');
    await set.refresh();

    expect([...seen, set.broken.length]).toEqual([1, 0]);
  });

  it('are loaded before they may work, and told when they are broken', async () => {
    const { folder, set, names, told, controller } = hookSetRig({ mayWork: new Promise(() => {}) });
    folder.set('a.sh', '1').set('b.sh', 'broken');

    const [unit] = await set.refresh();
    controller.abort();
    await set.ended();

    expect(names()).toEqual(['a.sh']);
    expect(unit?.isEnabled).toBe(false);
    expect(told()).toEqual(['load a.sh b.sh', 'broken b.sh', 'loaded a.sh']);
  });

  it('are left alone while their files do not change', async () => {
    const { folder, set, told } = hookSetRig();
    folder.set('a.sh', '1').set('bad.sh', 'broken');
    await set.refresh();
    const [before] = set.units;
    told();

    expect(await set.refresh()).toEqual([]);

    expect(told()).toEqual(['load ']);
    expect(set.units).toEqual([before]);
    expect(set.broken.map(({ hook }) => hook)).toEqual(['bad.sh']);
  });

  it('are started anew when they change: tasks of the old one find no unit', async () => {
    const { folder, set, told } = hookSetRig();
    folder.set('a.sh', '1').set('b.sh', '1');
    const [old] = await set.refresh();
    if (old === undefined) throw new Error('nothing started');
    expect(set.unitOf(old.hook)).toBe(old);
    told();

    folder.set('a.sh', '2');
    const [renewed] = await set.refresh();

    expect(told()).toEqual(['stopped a.sh', 'load a.sh', 'loaded a.sh']);
    expect(set.unitOf(old.hook)).toBeUndefined();
    expect(renewed?.hook.name).toBe('a.sh');
    expect(set.units).toHaveLength(2);
  });

  it('end when they are removed', async () => {
    const { folder, set, names, told } = hookSetRig();
    folder.set('a.sh', '1').set('bad.sh', 'broken');
    const [unit] = await set.refresh();
    told();

    folder.clear();
    await set.refresh();

    await unit?.settled;
    expect(names()).toEqual([]);
    expect(set.broken).toEqual([]);
    expect(told()).toEqual(['stopped a.sh', 'removed a.sh', 'removed bad.sh', 'load ']);
  });

  it('that are broken are told once, and run when they are mended', async () => {
    const { folder, set, names, told } = hookSetRig();
    folder.set('a.sh', 'broken');
    await set.refresh();
    await set.refresh();
    expect(told()).toEqual(['load a.sh', 'broken a.sh', 'load ']);

    folder.set('a.sh', 'mended');
    await set.refresh();

    expect(names()).toEqual(['a.sh']);
    expect(set.broken).toEqual([]);
  });

  it('are neither started nor called broken when the end comes while they load', async () => {
    const { folder, set, controller, onLoad, told } = hookSetRig();
    folder.set('a.sh', '1').set('b.sh', 'broken');
    onLoad(async () => controller.abort());

    expect(await set.refresh()).toEqual([]);

    await set.ended();
    expect(told()).toEqual(['load a.sh b.sh']);
  });

  it('have ended when all their units have', async () => {
    const { folder, set, controller } = hookSetRig();
    folder.set('a.sh', '1').set('b.sh', '1');
    const units = await set.refresh();

    controller.abort();
    await set.ended();

    await Promise.all(units.map(async ({ settled }) => settled));
  });
});
