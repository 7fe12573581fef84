import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { measureAdmission } from '../admission.ts';
import type { Measure } from '../row.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

/** A warm hook allows each request; the limit answers in the process of the server. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  cpSync(join(import.meta.dirname, '..', 'warm-hooks', 'judge.ts'), join(hooksDir, 'judge.ts'));
  return measureAdmission(stage, { hooksDir, hasPeer: false, warmUp: 1000, alone: 700, together: 3000 });
}
