import type { Measure } from '../row.ts';
import { latencies, startBareSeer, startShellSeer } from '../seer.ts';
import type { BenchStage } from '../stage.ts';

/** From before the POST to the start of a bash hook; the limit is a bare watch with a small process that spawns it. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await using ends = new AsyncDisposableStack();
  const hooklet = await startShellSeer(stage, stage.hooklet, ends);
  const peer = stage.peer && (await startShellSeer(stage, stage.peer, ends));
  const limit = await startBareSeer(stage, ends);
  return await latencies(stage, { hooklet, limit, peer }, { events: 300, most: [1.25, 1.5] });
}
