import { it } from 'vitest';
import { chaosFigures } from '../../operators/kit/chaos.ts';
import { backupChaos } from '../operators/310-backup-chaos.ts';
import { startBackupRig } from '../operators/310-backup-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';

const plane = sharedControlPlane();

it('a good backup follows whatever happens to one, and the last good one stays', async () => {
  await using rig = await startBackupRig(plane);
  const rounds = Number(process.env['CHAOS_ROUNDS'] ?? 50);
  const seed = Number(process.env['CHAOS_SEED'] ?? 1);
  const all = await backupChaos(rig, { rounds, seed, tell: console.log });
  console.log(chaosFigures(all).join('\n'));
});
