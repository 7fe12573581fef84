import { afterAll, describe, expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdOracle } from './etcd-oracle.ts';
import { clusterPool } from './etcd-repair-pool.ts';
import { untoldEnds } from './etcd-repair-ends.ts';
import { LINES } from './etcd-repair-lines.ts';
import { TWINS } from './etcd-repair-image.ts';
import { newsOf } from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

// All of it with both hooks, and in any order and mixture, is `npm run chaos`.
const isThorough = process.env['ETCD_REPAIR_THOROUGH'] === '1';
const pool = clusterPool(sharedControlPlane(), { shell: 2, typescript: 2 });

afterAll(async () => pool[Symbol.asyncDispose](), 300_000);

describe.concurrent.each(TWINS)('the repair of etcd members in %s', (twin) => {
  const lines = LINES.filter((line) => isThorough || ['both', twin].includes(line.with ?? 'shell'));

  for (const { title, tells, run } of lines) {
    it(title, { timeout: 2_400_000 }, async () => {
      await pool.with(twin, async (rig) => {
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
