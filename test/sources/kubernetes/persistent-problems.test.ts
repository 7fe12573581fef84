import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

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

describe('a monitor in trouble', () => {
  it('says at once that it does not get on, and syncs when it does', async () => {
    const { client, monitor, told } = rigOf();
    (await client.next()).fail(statusError(403, { message: 'forbidden' }));
    await settled();
    await vi.advanceTimersByTimeAsync(800);
    (await client.next()).fail(statusError(403, { message: 'forbidden' }));
    await vi.advanceTimersByTimeAsync(1600);
    const status = monitor.status();
    answerList(await client.next());
    await settled();

    expect(told).toEqual(['problem forbidden', 'synced']);
    expect(status).toMatchObject({ isSynced: false, problem: 'forbidden' });
    expect(monitor.status().problem).toBeUndefined();
  });

  it('says each new reason', async () => {
    const { client, told } = rigOf();
    for (const message of ['one', 'two', 'two', 'one']) {
      (await client.next()).fail(statusError(403, { message }));
      await vi.advanceTimersByTimeAsync(60_000);
    }

    expect(told).toEqual(['problem one', 'problem two', 'problem one']);
  });

  it('does not trouble anybody with a connection that breaks later, but shows it', async () => {
    const { client, monitor, told } = rigOf();
    const call = await client.next();
    answerList(call);
    await settled();

    call.fail(statusError(0, { message: 'reset' }));
    await settled();

    expect(told).toEqual(['synced']);
    expect(monitor.status().problem).toBe('reset');
  });
});
