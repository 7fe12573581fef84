import type { V1Lease } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { sleep } from '../../src/lib/sleep.ts';
import type { JobsRig } from './jobs-rig.ts';
import { eventually } from './solutions/eventually.ts';

const never = new AbortController().signal;

/** A Lease whose loss is seen within seconds. */
export const SHORT_LEASE = {
  HOOKLET_LEADER_ELECTION_LEASE_DURATION: '6s',
  HOOKLET_LEADER_ELECTION_RENEW_DEADLINE: '4s',
  HOOKLET_LEADER_ELECTION_RETRY_PERIOD: '1s',
};

/** Waits until a Pod that is there leads, and has listed what its hooks are called for. */
export async function leads(rig: JobsRig): Promise<void> {
  await eventually(async () => {
    const now = await leaderOf(rig);
    expect((await rig.pods('operator')).map(({ metadata }) => metadata?.name)).toContain(now);
    expect(await rig.kubelet.logs({ namespace: rig.namespace, name: now })).toContain('"msg":"leading"');
  }, 60_000);
  await sleep(2000, never);
}

/** The name of the Pod that leads. */
export async function leaderOf({ get }: JobsRig): Promise<string> {
  const { spec } = await get<V1Lease>('lease', 'hooklet');
  return (spec?.holderIdentity ?? '').replace(/_[^_]*$/, '');
}

/** Waits until another Pod leads. */
export async function otherLeader(rig: JobsRig, before: string): Promise<string> {
  return eventually(async () => {
    const now = await leaderOf(rig);
    expect(now).not.toBe(before);
    return now;
  }, 60_000);
}
