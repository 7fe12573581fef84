import { convergence } from '../convergence.ts';
import type { Measure } from '../row.ts';
import type { BenchStage } from '../stage.ts';

/** As the row `reconcile`, with as many parents as a large cluster may have. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  return convergence(stage, { parents: 10_000, rounds: 1 });
}
