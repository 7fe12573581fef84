import { join } from 'node:path';
import { measureAdmission } from '../admission.ts';
import type { Measure } from '../row.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

// Of a kind that does not exist: only the bench sends reviews.
const RULE = { apiGroups: ['bench.example.com'], apiVersions: ['v1'], resources: ['things'], operations: ['CREATE'] };

/** A shell hook allows each request; the limit spawns the same script for each, as many at once as there are. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  const script = join(hooksDir, 'judge.sh');
  const webhook = { name: 'judge.bench.example.com', rules: [RULE] };
  writeShellHook(script, { kubernetesValidating: [webhook] }, `echo '{"allowed":true}' > "$VALIDATING_RESPONSE_PATH"`);
  return measureAdmission(stage, { hooksDir, script, hasPeer: true, warmUp: 100, alone: 150, together: 500 });
}
