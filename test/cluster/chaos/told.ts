import { expect } from 'vitest';
import type { EtcdRepairRig } from '../solutions/etcd-repair-rig.ts';
import { newsOf } from '../solutions/etcd-repair-steps.ts';
import { eventually } from '../solutions/eventually.ts';

const TOLD_MS = 120_000;

/**
 * Does something, and waits until the hook reports a matching reason because of it; otherwise throws with what it
 * reported.
 */
export async function tells(rig: EtcdRepairRig, reason: RegExp, act: () => Promise<void>): Promise<void> {
  const news = await newsOf(rig);
  await act();
  await eventually(async () => {
    expect(await news()).toContainEqual(expect.stringMatching(reason));
  }, TOLD_MS);
}
