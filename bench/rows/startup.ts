import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { median, nowMs } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile } from '../line-file.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage, type Contender } from '../stage.ts';

const ROUNDS = 15;
const BARE = `const { spawnSync } = require('node:child_process');
spawnSync(process.env.BARE_HOOK, ['--config']);
spawnSync(process.env.BARE_HOOK, { stdio: 'ignore' });`;

/**
 * From the start of the process to the beginning of its first onStartup run. The first limit is `node -e 0`, the second a
 * process of Node that starts the hook twice, once with --config, and does nothing else.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  const hook = join(hooksDir, 'start.sh');
  writeShellHook(hook, { onStartup: 1 }, 'echo "$began" >> "$BENCH_OUT"');
  const { peer } = stage;
  const { bareNode, folder } = stage;
  const times = await interleaved(ROUNDS, {
    hooklet: async (round) => start(stage, stage.hooklet, hooksDir, round),
    limit: async (round) => {
      using out = openLineFile(join(folder, `limit-${round}`));
      const startedAtMs = nowMs();
      spawnSync(bareNode, ['-e', BARE], { env: { ...process.env, BENCH_OUT: out.path, BARE_HOOK: hook } });
      return Number((await out.reach(1))[0]) * 1000 - startedAtMs;
    },
    bare: async () => {
      const startedAtMs = nowMs();
      spawnSync(bareNode, ['-e', '0']);
      return nowMs() - startedAtMs;
    },
    peer: peer && (async (round) => start(stage, peer, hooksDir, round)),
  });
  const figure = (name: string, limit: readonly number[]): Measure => ({
    name,
    unit: 'ms',
    hooklet: median(times.hooklet),
    limit: median(limit),
    ...(peer !== undefined && { peer: median(times.peer) }),
  });
  return [
    { ...figure('to a bare start of Node', times.bare), goal: { type: 'ratio', most: 2.2 } },
    figure('to Node that runs the hook', times.limit),
  ];
}

async function start(stage: BenchStage, contender: Contender, hooksDir: string, round: number): Promise<number> {
  using out = openLineFile(join(stage.folder, `${contender.name}-${round}`));
  await using operator = await startOperator(stage, { hooksDir, contender, env: { BENCH_OUT: out.path } });
  return Number((await out.reach(1))[0]) * 1000 - operator.startedAtMs;
}
