import type { Measure } from '../row.ts';
import { latencies, startBareSeer, startWarmSeer } from '../seer.ts';
import type { BenchStage } from '../stage.ts';

/** From before the POST to the run of a warm TypeScript hook; the limit is the bare watch that spawns a bash hook. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await using ends = new AsyncDisposableStack();
  const hooklet = await startWarmSeer(stage, ends);
  const limit = await startBareSeer(stage, ends);
  return await latencies(stage, { hooklet, limit, peer: undefined }, { events: 150, most: [0.75] });
}
