import { it } from 'vitest';
import { chaosRounds, percentiles } from '../operators/prometheus/prometheus-chaos.ts';
import { startPrometheusRig } from '../operators/prometheus/prometheus-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';

const plane = sharedControlPlane();

it('a Prometheus has its rules and targets again whatever happens to it', async () => {
  await using rig = await startPrometheusRig(plane);

  const rounds = await chaosRounds(rig, Number(process.env['CHAOS_ROUNDS'] ?? 50));

  for (const { fault, seconds } of rounds) console.log(`${fault}: ${seconds.toFixed(1)} s`);
  const { p50, p99 } = percentiles(rounds);
  console.log(`${rounds.length} rounds, time to repair: p50 ${p50.toFixed(1)} s, p99 ${p99.toFixed(1)} s`);
});
