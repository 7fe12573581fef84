import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endChild, endWithThis } from '../child.ts';
import { median, nowMs } from '../figures.ts';
import { openLineFile } from '../line-file.ts';
import type { Measure } from '../row.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const ROUNDS = 5;
const STUBBORN = `trap '' TERM INT
echo began >> "$BENCH_OUT"
sleep 60
sleep 60`;

/** From Ctrl-C to the end of `hooklet dev`, while a hook runs that does not want to end. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  writeShellHook(join(hooksDir, 'stubborn.sh'), { onStartup: 1 }, STUBBORN);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await exitOf(stage, hooksDir, round));
  return [{ name: 'time', unit: 'ms', hooklet: median(times), goal: { type: 'value', most: 2000 } }];
}

async function exitOf({ folder, hooklet }: BenchStage, hooksDir: string, round: number): Promise<number> {
  using out = openLineFile(join(folder, `began-${round}`));
  const [program = '', ...args] = [...hooklet.command, 'dev', hooksDir, ...hooklet.flags];
  const env = { ...process.env, ...hooklet.env, BENCH_OUT: out.path };
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
  endWithThis(child);
  try {
    await out.reach(1);
    const ended = once(child, 'exit');
    const beganMs = nowMs();
    // As a terminal does, to the whole group.
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await ended;
    return nowMs() - beganMs;
  } finally {
    await endChild(child, 'SIGKILL');
  }
}
