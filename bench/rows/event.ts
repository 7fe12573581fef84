import type { Measure } from '../row.ts';
import { latencies, startBareSeer, startShellSeer } from '../seer.ts';
import type { BenchStage } from '../stage.ts';

/** From before the POST to the start of a bash hook; the limit is a bare watch with a small process that spawns it. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  return latencies(
    stage,
    async (round, ends) => ({
      hooklet: await startShellSeer(round, round.hooklet, ends),
      peer: round.peer && (await startShellSeer(round, round.peer, ends)),
      limit: await startBareSeer(round, ends),
    }),
    { rounds: 5, events: 150, most: [1.25, 1.5] },
  );
}
