import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantile } from './figures.ts';
import { startOperator } from './operator.ts';
import type { BenchStage } from './stage.ts';

const ROUNDS = 9;

/** From the start of the process to the end of its first onStartup run; beside it, how long node takes to start at all. */
export async function startup(stage: BenchStage): Promise<readonly string[]> {
  const hooksDir = join(stage.folder, 'startup-hooks');
  mkdirSync(hooksDir);
  const hook = join(hooksDir, 'start.sh');
  writeFileSync(hook, '#!/bin/sh\n[ "$1" != --config ] || echo \'{"configVersion":"v1","onStartup":1}\'\n');
  chmodSync(hook, 0o755);
  const [ours, limit]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await using operator = startOperator(stage, { hooksDir });
    ours.push(await operator.said('hook finished'));
    const startedAt = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    limit.push(performance.now() - startedAt);
  }
  const [hooklet, node] = [quantile(ours, 0.5), quantile(limit, 0.5)];
  return [`hooklet ${hooklet.toFixed(0)} ms, node alone ${node.toFixed(0)} ms, ratio ${(hooklet / node).toFixed(1)}`];
}
