import { it } from 'vitest';
import { chaosFigures } from '../../operators/kit/chaos.ts';
import { websiteChaos } from '../operators/static-website-chaos.ts';
import { startWebsites } from '../operators/static-website-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';

const plane = sharedControlPlane();

it('a site is served again whatever happens to it', async () => {
  await using rig = await startWebsites(plane);
  const rounds = Number(process.env['CHAOS_ROUNDS'] ?? 50);
  const seed = Number(process.env['CHAOS_SEED'] ?? 1);
  const all = await websiteChaos(rig, { rounds, seed, tell: console.log });
  console.log(chaosFigures(all).join('\n'));
});
