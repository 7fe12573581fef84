import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, nowMs } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const ROUNDS = 9;

/** From the start of the process to the end of its first onStartup run; the limit is the start of node itself. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  const hook = join(hooksDir, 'start.sh');
  writeFileSync(hook, '#!/bin/sh\n[ "$1" != --config ] || echo \'{"configVersion":"v1","onStartup":1}\'\n');
  chmodSync(hook, 0o755);
  const { hooklet, limit } = await interleaved(ROUNDS, {
    hooklet: async () => {
      await using operator = await startOperator(stage, { hooksDir });
      return await operator.said('hook finished');
    },
    limit: async () => {
      const startedAtMs = nowMs();
      spawnSync(process.execPath, ['-e', '0']);
      return nowMs() - startedAtMs;
    },
  });
  const goal = { type: 'value', most: 120 } as const;
  return [{ name: 'time', unit: 'ms', hooklet: median(hooklet), limit: median(limit), goal }];
}
