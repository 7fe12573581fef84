import { it } from 'vitest';
import { chaosFigures } from '../../operators/kit/chaos.ts';
import { prometheusChaos } from '../operators/prometheus/prometheus-chaos.ts';
import { startPrometheusRig } from '../operators/prometheus/prometheus-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';

const plane = sharedControlPlane();

it('a Prometheus has its rules and targets again whatever happens to it', async () => {
  await using rig = await startPrometheusRig(plane);

  const rounds = await prometheusChaos(rig, {
    rounds: Number(process.env['CHAOS_ROUNDS'] ?? 50),
    seed: Number(process.env['CHAOS_SEED'] ?? 1),
    tell: (line) => console.log(line),
  });

  for (const line of chaosFigures(rounds)) console.log(line);
});
