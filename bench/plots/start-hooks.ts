import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median, nowMs } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile } from '../line-file.ts';
import { startOperator } from '../operator.ts';
import { bindingOf } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';
import type { Chart, Point } from './chart.ts';

const COUNTS = [1, 10, 30, 100, 300, 1000];
const AT_ONCE = 2;
/** More rounds for short starts, which vary more than long ones. */
const FEW = 100;
const ROUNDS = 3;

/**
 * Time from the start of the process to the last Synchronization against the number of hooks, which share one watch.
 */
export async function plot(stage: BenchStage): Promise<readonly Chart[]> {
  const [hooklet, bare]: [Point[], Point[]] = [[], []];
  for (const count of COUNTS) {
    const hooksDir = writeHooks(stage, count);
    const seconds = await interleaved(count > FEW ? 1 : ROUNDS, {
      hooklet: async () => synchronizedSeconds(stage, hooksDir, count),
      bare: async () => spawnSeconds(hooksDir),
    });
    hooklet.push({ x: count, y: median(seconds.hooklet) });
    bare.push({ x: count, y: median(seconds.bare) });
  }
  const chart: Chart = {
    name: 'start-hooks',
    title: 'Start-up against hooks',
    x: { label: 'hooks', unit: '' },
    y: { label: 'start of the process to the last Synchronization', unit: 's' },
    series: [
      { name: 'hooklet', role: 'hooklet', points: hooklet },
      { name: 'two runs of each', role: 'limit', points: bare },
    ],
  };
  return [chart];
}

function writeHooks(stage: BenchStage, count: number): string {
  const hooksDir = stageFolder(stage, `hooks-${count}`);
  const binding = { ...bindingOf('start'), executeHookOnSynchronization: true };
  for (let index = 0; index < count; index++) {
    writeShellHook(join(hooksDir, `hook-${String(index).padStart(4, '0')}.sh`), { kubernetes: [binding] });
  }
  return hooksDir;
}

async function synchronizedSeconds(stage: BenchStage, hooksDir: string, count: number): Promise<number> {
  using out = openLineFile(join(stage.folder, `synchronized-${count}`));
  await using operator = await startOperator(stage, { hooksDir, env: { BENCH_OUT: out.path } });
  const lines = await out.reach(count, 120_000);
  return Number(lines.at(-1)?.split(' ')[0]) - operator.startedAtMs / 1000;
}

/** The minimum: each hook is run with `--config`, two at a time, and once more for its Synchronization. */
async function spawnSeconds(hooksDir: string): Promise<number> {
  const hooks = readdirSync(hooksDir).map((name) => join(hooksDir, name));
  const startedAtMs = nowMs();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let hook = hooks[next++]; hook !== undefined; hook = hooks[next++]) await run(hook, ['--config']);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const hook of hooks) await run(hook, ['--config']);
  return (nowMs() - startedAtMs) / 1000;
}

const run = promisify(execFile);
