import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import { resultWith, startStatusHook } from './status-hook.ts';
import { condition, startStatusRig } from './status-rig.ts';

/** The required results of a hook that writes the status of what it watches, on every API server. */
export function statusLoopSuite(findCluster: () => Promise<Cluster>): void {
  describe('a hook that writes the status of what it watches', () => {
    it('is not run by that, but by every other change', async () => {
      const cluster = await findCluster();
      const rig = await startStatusRig(cluster);
      // Each run gives another status, so each one is written.
      const giveOne = (run: number) =>
        resultWith({ conditions: [condition('Ready', 'True', `run ${run}`)], status: { size: run } });
      const hook = await startStatusHook(cluster, rig, giveOne);

      await rig.make('Mapped');
      await hook.until(2);
      await rig.patch({ kind: 'Mapped' }, { spec: { a: 2 } });
      await hook.until(4);
      await rig.patch({ kind: 'Mapped', subresource: 'status' }, { status: { phase: 'Theirs' } });
      await hook.until(6);
      // Whatever the writes brought comes before this one.
      await rig.make('Mapped', 'last');

      expect(await hook.until(8)).toEqual([
        'one Added a',
        'one Added last',
        'one Modified a',
        'one Modified a',
        'two Added a',
        'two Added last',
        'two Modified a',
        'two Modified a',
      ]);
      expect(hook.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
      expect((await rig.read('Mapped')).status).toMatchObject({ observedGeneration: 2, phase: 'Theirs' });
    });
  });
}
