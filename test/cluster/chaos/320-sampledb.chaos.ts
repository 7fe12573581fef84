import { expect, it } from 'vitest';
import { seededRandom } from './random.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { FAULTS, figures, strike, Writer, type Round } from '../operators/320-sampledb-chaos.ts';
import { startSampleRig } from '../operators/320-sampledb-rig.ts';

const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 50);
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);

it(`a SampleDB is whole again after each of ${ROUNDS} faults, and has every row that was acknowledged`, async () => {
  await using rig = await startSampleRig(sharedControlPlane());
  await rig.make('chaos', { backup: { size: '64Mi' } });
  await rig.told('chaos', { type: 'Ready', status: 'True' });
  const writer = new Writer(rig, 'chaos');
  await writer.start();
  const random = seededRandom(SEED);
  const names = Object.keys(FAULTS);
  const rounds: Round[] = [];
  while (rounds.length < ROUNDS) {
    const fault = names[Math.floor(random() * names.length)] ?? '';
    const round = await strike(rig, 'chaos', fault);
    rounds.push(round);
    console.log(`${rounds.length} ${fault}: ${round.seconds.toFixed(1)} s`);
    expect(await writer.lost(), fault).toEqual([]);
  }
  await writer.stop();
  console.log(`320-sampledb: ${figures(rounds)}; ${writer.count} rows acknowledged, none lost`);
});
