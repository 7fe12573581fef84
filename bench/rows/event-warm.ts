import type { Measure } from '../row.ts';
import { latencies, startBareSeer, startWarmSeer } from '../seer.ts';
import type { BenchStage } from '../stage.ts';

/** From before the POST to the run of a warm TypeScript hook; the limit is the bare watch that spawns a bash hook. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  return latencies(
    stage,
    async (round, ends) => ({
      hooklet: await startWarmSeer(round, ends),
      limit: await startBareSeer(round, ends),
      peer: undefined,
    }),
    { rounds: 3, events: 100, most: [0.75] },
  );
}
