import { convergence } from '../convergence.ts';
import type { Measure } from '../row.ts';
import type { BenchStage } from '../stage.ts';

// V8 returns memory to the system after eight idle seconds.
const SETTLE_MS = 20_000;

/** As the row `reconcile`, with as many parents as a large cluster may have. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  return convergence(stage, { parents: 10_000, rounds: 1, settleMs: SETTLE_MS });
}
