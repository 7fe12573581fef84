import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../src/hook/trigger.ts';
import { bindingOf, reasonOf } from '../../src/run/run-reason.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const hook = hookWith('hook.sh');
const pods = kubernetesBinding('pods');
const grouped = kubernetesBinding('maps', { group: 'copies' });
const clusterWide: Trigger = { ...eventOf(pods, 'node-1'), item: { namespace: '', name: 'node-1' } };

describe('the reason of a run', () => {
  it.each<[Trigger, string, string]>([
    [{ type: 'onStartup', binding: onStartupBinding }, '', 'onStartup'],
    [tickOf(scheduleBinding('nightly')), 'nightly', 'Schedule * * * * *'],
    [{ type: 'synchronization', binding: pods }, 'pods', 'Synchronization'],
    [{ type: 'synchronization', binding: grouped }, 'maps', 'Synchronization for group copies'],
    [eventOf(pods, 'web'), 'pods', 'Added default/web'],
    [clusterWide, 'pods', 'Added node-1'],
    [eventOf(grouped, 'web'), 'maps', 'Added default/web for group copies'],
  ])('of %j is binding %j, %j', (trigger, binding, reason) => {
    const task = taskOf(hook, trigger);

    expect([bindingOf(task), reasonOf(task)]).toEqual([binding, reason]);
  });

  it('says how many triggers were combined', () => {
    const task = { ...taskOf(hook, eventOf(pods, 'a')), triggers: [eventOf(pods, 'a'), eventOf(pods, 'b')] } as const;

    expect(reasonOf(task)).toBe('Added default/a, 1 more');
  });
});
