import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { resourceKind, kubeList, CONFIG_MAP } from '../../support/kube-objects.ts';
import { answerList, monitorRig, settled, type MonitorRig, type MonitorRigOptions } from '../../support/monitor-rig.ts';
import { statusError } from '../../support/scripted-kube-client.ts';

const rigs: MonitorRig[] = [];

function rigOf(options?: MonitorRigOptions): MonitorRig {
  const rig = monitorRig(options);
  rigs.push(rig);
  return rig;
}

// Only timers are fake: everything that is due now still happens by itself.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.stop()));
  vi.useRealTimers();
});

describe('the kind of a monitor', () => {
  it('waits for a kind that comes later (point 22)', async () => {
    const { client, discovery, monitor, told } = rigOf({ kinds: [] });
    await settled();
    const problem = monitor.status().problem;
    discovery.set('ConfigMap', CONFIG_MAP);
    await vi.advanceTimersByTimeAsync(5000);
    answerList(await client.next(), { name: 'a' });
    await settled();

    expect(problem).toBe('no kind ConfigMap');
    expect(told).toEqual(['problem no kind ConfigMap', 'synced']);
  });

  it('yields Deleted for the objects of a kind that goes, and Added when it returns (point 22)', async () => {
    const { client, discovery, monitor, told } = rigOf();
    const call = await client.next();
    answerList(call, { name: 'a' });
    await settled();
    discovery.delete('ConfigMap');
    call.fail(statusError(404));
    await settled();
    const gone = [...told, ...monitor.snapshot()];

    discovery.set('ConfigMap', CONFIG_MAP);
    await vi.advanceTimersByTimeAsync(5000);
    answerList(await client.next(), { name: 'a', uid: 'u2' });
    await settled();

    expect(gone).toEqual(['synced', 'problem status 404', 'Deleted default/a', 'problem no kind ConfigMap']);
    expect(told.slice(gone.length)).toEqual(['Added default/a']);
    expect(monitor.status().problem).toBeUndefined();
  });

  it('follows a kind to another version, and tells only what differs there (point 22)', async () => {
    const [alpha, stable] = ['v1alpha1', 'v1'].map((version) => resourceKind('Thing', { group: 'x.io', version }));
    if (alpha === undefined || stable === undefined) throw new Error('two versions');
    const filter = { apply: () => ({ result: '1' }) };
    const { client, discovery, told } = rigOf({ binding: { kind: 'Thing' }, filter, kinds: [alpha] });
    const call = await client.next();
    answerList(call, { name: 'a' }, { name: 'b' });
    await settled();
    discovery.set('Thing', stable);
    call.fail(statusError(404));
    const moved = await client.next();
    answerList(moved, { name: 'b', version: 2 }, { name: 'c' });
    await settled();

    expect(moved.path).toBe('/apis/x.io/v1/things');
    expect(told).toEqual(['synced', 'problem status 404', 'Deleted default/a', 'Added default/c']);
  });

  it('stays with its watch when the kind is still there after a 404', async () => {
    const { client, told } = rigOf();
    const call = await client.next();
    answerList(call, { name: 'a' });
    await settled();
    call.fail(statusError(404));
    await vi.advanceTimersByTimeAsync(800);
    (await client.next()).reply(kubeList([{ name: 'a' }]));
    await settled();

    expect(told).toEqual(['synced', 'problem status 404']);
  });
});
