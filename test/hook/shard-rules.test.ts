import { describe, expect, it } from 'vitest';
import type { Binding, KubernetesBinding } from '../../src/hook/binding.ts';
import { isDividedHook, isTogether, mayShow, shardProblems } from '../../src/hook/shard-rules.ts';
import type { OwnSlice } from '../../src/hook/shard.ts';
import type { Trigger } from '../../src/hook/trigger.ts';
import {
  hookWith,
  kubernetesBinding,
  onStartupBinding,
  reconcileBinding,
  scheduleBinding,
} from '../support/bindings.ts';

const pods = kubernetesBinding('pods');
const nodes = kubernetesBinding('nodes', { kind: 'Node', shard: 'uid' });
const settings = kubernetesBinding('settings', { kind: 'ConfigMap', shard: 'none' });

function problems(...bindings: readonly Binding[]): readonly string[] {
  return shardProblems(hookWith('hook.sh', bindings)).map(({ path, message }) => `${path}: ${message}`);
}

describe('shardProblems', () => {
  it.each([
    ['a divided binding', [pods]],
    ['bindings that are divided differently, and show each other nothing', [pods, nodes]],
    [
      'a divided binding that shows a whole one',
      [kubernetesBinding('pods', { includeSnapshotsFrom: ['settings'] }), settings],
    ],
    [
      'a whole binding that only fills a snapshot of the group of a divided one',
      [
        kubernetesBinding('pods', { group: 'g', includeSnapshotsFrom: ['pods', 'settings'] }),
        kubernetesBinding('settings', {
          shard: 'none',
          group: 'g',
          includeSnapshotsFrom: ['pods', 'settings'],
          executeHookOnEvent: [],
          executeHookOnSynchronization: false,
        }),
      ],
    ],
    [
      'a schedule that shows a whole binding',
      [pods, settings, scheduleBinding('tick', { includeSnapshotsFrom: ['settings'] })],
    ],
    [
      'a hook whose bindings are all whole',
      [settings, scheduleBinding('tick', { includeSnapshotsFrom: ['settings'] })],
    ],
    ['a reconcile binding by itself that is whole', [reconcileBinding('sites', { shard: 'none' })]],
  ])('finds none in %s', (_, bindings) => {
    expect(problems(...bindings)).toEqual([]);
  });

  it('refuses a schedule that shows a part of the objects', () => {
    expect(problems(pods, scheduleBinding('tick', { includeSnapshotsFrom: ['pods'] }))).toEqual([
      'schedule[0].includeSnapshotsFrom: it runs on one replica, which has only a part of the objects of kubernetes pods: say shard: none there',
    ]);
  });

  it('refuses a whole binding whose events show a part of the objects', () => {
    const whole = kubernetesBinding('settings', { shard: 'none', includeSnapshotsFrom: ['pods'] });
    expect(problems(pods, whole)).toEqual([
      'kubernetes[1].includeSnapshotsFrom: it runs on one replica, which has only a part of the objects of kubernetes pods: say shard: none there, or executeHookOnEvent: [] and executeHookOnSynchronization: false here',
    ]);
  });

  it('refuses a binding by uid that shows another divided one, or is shown by one', () => {
    const both = [kubernetesBinding('pods', { includeSnapshotsFrom: ['nodes'] }), nodes];
    expect(problems(...both)).toEqual([
      'kubernetes[0].includeSnapshotsFrom: shows kubernetes nodes, and objects that are divided by uid are not on one replica with them: say shard: namespace or shard: none in kubernetes nodes',
    ]);
  });

  it('refuses a whole reconcile binding in a hook that has a divided one', () => {
    expect(problems(pods, reconcileBinding('sites', { shard: 'none' }))).toEqual([
      'reconcile[0].shard: none, while other bindings of the hook are divided: put it into a hook of its own',
    ]);
  });

  it('refuses to divide a hook whose runs are Jobs', () => {
    const job = { type: 'job', agent: 'image', isSuspended: false, startTimeoutMs: 1, keepFailedMs: 1 } as const;
    expect(shardProblems({ bindings: [pods], settings: { executor: job } })).toEqual([
      {
        path: 'settings.executor',
        message: 'only hooks whose objects are not divided have it: say shard: none in kubernetes pods',
      },
    ]);
    expect(shardProblems({ bindings: [settings], settings: { executor: job } })).toEqual([]);
  });
});

describe('isDividedHook', () => {
  it('says so of a hook with one divided binding among whole ones', () => {
    expect(isDividedHook({ bindings: [settings, pods] })).toBe(true);
    expect(isDividedHook({ bindings: [settings, scheduleBinding('tick')] })).toBe(false);
  });
});

describe('isTogether', () => {
  it('says so of both bindings when one shows the other', () => {
    const showing = kubernetesBinding('services', { includeSnapshotsFrom: ['pods'] });
    const hook = { bindings: [pods, showing, nodes] };
    expect(hook.bindings.map((binding) => isTogether(hook, binding))).toEqual([true, true, false]);
  });
});

describe('a slice is shown by a run', () => {
  const [own, other] = [1, 2].map((index) => ({ index, given: new AbortController().signal })) as [OwnSlice, OwnSlice];
  const pods = kubernetesBinding('pods');
  const undivided = kubernetesBinding('all', { shard: 'none' });

  it.each<[string, boolean, Trigger]>([
    ['about one of its objects', true, eventOf(pods, 'web', own)],
    ['about an object of another slice, even if that is given too', false, eventOf(pods, 'web', other)],
    ['about an object that is not divided', false, eventOf(undivided, 'web')],
    ['that is its Synchronization', true, { type: 'synchronization', binding: pods, slice: own }],
    ['that is the Synchronization of another slice', false, { type: 'synchronization', binding: pods, slice: other }],
    ['that is the Synchronization of the start, which has all', true, { type: 'synchronization', binding: pods }],
    ['that is one of objects that are not divided', false, { type: 'synchronization', binding: undivided }],
  ])('%s: %s', (_what, isShown, trigger) => {
    expect(mayShow(own, [{ type: 'onStartup', binding: onStartupBinding }, trigger])).toBe(isShown);
  });
});

function eventOf(binding: KubernetesBinding, name: string, slice?: OwnSlice): Trigger {
  return { type: 'event', binding, watchEvent: 'Added', item: { namespace: 'a', name }, ...(slice && { slice }) };
}
