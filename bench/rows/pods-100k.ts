import { join } from 'node:path';
import { sleep } from '../figures.ts';
import { openLineFile, type LineFile } from '../line-file.ts';
import { cpuSeconds, pssMb } from '../memory.ts';
import { startOperator } from '../operator.ts';
import { changePod, fillPods } from '../pods.ts';
import { FILTERED } from '../pods-sync.ts';
import type { Measure } from '../row.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const FEW = 10_000;
const MANY = 100_000;
const EVENTS = 1000;
const AT_ONCE = 8;
// V8 returns memory to the system after eight idle seconds.
const SETTLE_MS = 20_000;

/** The memory of an operator that has listed all pods, and the CPU time of an event. */
interface Footprint {
  readonly mb: number;
  readonly cpuUs: number;
}

/**
 * Uses pods as small as the server allows, because only a small part of a pod is stored, whatever its size. Measures
 * the memory of 90,000 more of them, and the CPU time of one event with them (limit: with 10,000), from the line to
 * the comparison of filter results.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  const common = { apiVersion: 'v1', kind: 'Pod', executeHookOnSynchronization: false };
  writeShellHook(join(hooksDir, 'pods.sh'), { kubernetes: [{ name: 'pods', ...common, ...FILTERED }] });
  await fillPods(stage, FEW, 'small');
  const few = await footprint(stage, hooksDir);
  await fillPods(stage, MANY, 'small');
  const many = await footprint(stage, hooksDir);
  const bytes = ((many.mb - few.mb) * 1e6) / (MANY - FEW);
  return [
    { name: 'memory of an object', unit: 'B', hooklet: bytes, goal: { type: 'value', most: 600 } },
    {
      name: 'CPU of an event',
      unit: 'us',
      hooklet: many.cpuUs,
      limit: few.cpuUs,
      goal: { type: 'ratio', most: 1.25 },
    },
  ];
}

async function footprint(stage: BenchStage, hooksDir: string): Promise<Footprint> {
  using out = openLineFile(join(stage.folder, 'events'));
  await using operator = await startOperator(stage, { hooksDir, env: { BENCH_OUT: out.path } });
  await operator.synchronized();
  // New code is slower until it is optimized.
  await change(stage, out);
  await sleep(SETTLE_MS);
  const mb = pssMb(operator.pid);
  // V8 may have discarded compiled code during a long idle time.
  await change(stage, out);
  const before = cpuSeconds(operator.pid);
  await change(stage, out);
  return { mb, cpuUs: ((cpuSeconds(operator.pid) - before) * 1e6) / EVENTS };
}

/** Events that do not change the filter result, and a last one that runs the hook and so shows that all were seen. */
async function change(stage: BenchStage, out: LineFile): Promise<void> {
  const known = out.lines().length;
  let left = EVENTS;
  const work = async (): Promise<void> => {
    while (left-- > 0) await changePod(stage, left);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await changePod(stage, 0, 'image');
  await out.reach(known + 1);
}
