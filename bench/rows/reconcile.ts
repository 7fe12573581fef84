import { convergence } from '../convergence.ts';
import type { Measure } from '../row.ts';
import type { BenchStage } from '../stage.ts';

/** Few enough parents for the guard. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  return convergence(stage, { parents: 500, rounds: 3 });
}
