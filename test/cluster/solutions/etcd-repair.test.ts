import { afterAll, describe, expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdOracle } from './etcd-oracle.ts';
import { clusterPool } from './etcd-repair-pool.ts';
import { untoldEnds } from './etcd-repair-ends.ts';
import { LINES } from './etcd-repair-lines.ts';
import { newsOf } from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

// `npm run chaos` combines these in any order.
const pool = clusterPool(sharedControlPlane(), 4);

afterAll(async () => pool[Symbol.asyncDispose](), 300_000);

describe.concurrent('the repair of etcd members', () => {
  for (const { title, tells, run } of LINES) {
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
