import { afterAll, describe, expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdOracle } from './etcd-oracle.ts';
import { untoldEnds } from './etcd-repair-ends.ts';
import type { Line } from './etcd-repair-line.ts';
import { clusterPool } from './etcd-repair-pool.ts';
import { newsOf } from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

/** So many clusters for each file; two files run at once. */
const CLUSTERS = 3;

/** Makes a test of each line, in a cluster whose writers and readers the oracle watches; several run at once. */
export function playLines(name: string, lines: readonly Line[]): void {
  const pool = clusterPool(sharedControlPlane(), CLUSTERS);
  afterAll(async () => pool[Symbol.asyncDispose](), 300_000);

  describe.concurrent(name, () => {
    for (const { title, tells, run } of lines) {
      it(title, { timeout: 2_400_000 }, async () => {
        await pool.with(async (rig) => {
          const oracle = new EtcdOracle(rig.etcd);
          const news = await newsOf(rig);
          oracle.start();
          try {
            await run(rig, oracle);
            await eventually(async () => expect(untoldEnds(await rig.events())).toEqual([]));
            expect(await news()).toEqual(tells);
          } finally {
            const { violations, acknowledged } = await oracle.stop();
            expect(violations).toEqual([]);
            expect(acknowledged).toBeGreaterThan(0);
          }
        });
      });
    }
  });
}
