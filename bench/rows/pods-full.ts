import { fillPods } from '../pods.ts';
import { measurePodsSync } from '../pods-sync.ts';
import type { Measure } from '../row.ts';
import type { BenchStage } from '../stage.ts';

/** 10,000 pods of 8.9 KB, which are stored and passed to the hook as whole objects. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await fillPods(stage, 10_000, 'full');
  return measurePodsSync(stage, { binding: {}, keeps: 'text', mostPeakMb: 330, mostSettledMb: 220 });
}
