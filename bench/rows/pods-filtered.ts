import { fillPods } from '../pods.ts';
import { FILTERED, measurePodsSync } from '../pods-sync.ts';
import type { Measure } from '../row.ts';
import type { BenchStage } from '../stage.ts';

/** The same 10,000 pods, of which only name and images are stored. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await fillPods(stage, 10_000, 'full');
  return measurePodsSync(stage, { binding: FILTERED, keeps: 'filter result', mostPeakMb: 160, mostSettledMb: 120 });
}
