import { once } from 'node:events';
import { join } from 'node:path';
import { median, nowMs, sleep } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { bindingOf } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage, type Contender } from '../stage.ts';

const ROUNDS = 9;
// Time for connections, lists and watches to become idle.
const SETTLE_MS = 1000;

/** From SIGTERM to the end of an idle process with a watch. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  writeShellHook(join(hooksDir, 'idle.sh'), { kubernetes: [bindingOf('exit')] }, ':');
  const { peer } = stage;
  const times = await interleaved(ROUNDS, {
    hooklet: async () => exitOf(stage, stage.hooklet, hooksDir),
    peer: peer && (async () => exitOf(stage, peer, hooksDir)),
  });
  return [
    {
      name: 'time',
      unit: 'ms',
      hooklet: median(times.hooklet),
      ...(peer !== undefined && { peer: median(times.peer) }),
      goal: { type: 'value', most: 40 },
    },
  ];
}

async function exitOf(stage: BenchStage, contender: Contender, hooksDir: string): Promise<number> {
  await using operator = await startOperator(stage, { hooksDir, contender });
  await operator.synchronized();
  await sleep(SETTLE_MS);
  const ended = once(operator.process, 'exit');
  const beganMs = nowMs();
  operator.process.kill('SIGTERM');
  await ended;
  return nowMs() - beganMs;
}
