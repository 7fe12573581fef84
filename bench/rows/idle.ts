import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { median, sleep } from '../figures.ts';
import { busySeconds, pssMb } from '../memory.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { bindingOf } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { contendersOf, stageFolder, type BenchStage } from '../stage.ts';

const WATCHES = 20;
const SETTLE_MS = 15_000;
const LOOK_MS = 30_000;
const LOOKS = 30;

/** CPU and memory of the process tree while nothing happens; the limit is a Node process with as many watches. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await using ends = new AsyncDisposableStack();
  const hooksDir = stageFolder(stage, 'hooks');
  const labels = Array.from({ length: WATCHES }, (_, index) => `idle-${index}`);
  const kubernetes = labels.map((label) => ({ ...bindingOf(label), name: label, queue: label }));
  writeShellHook(join(hooksDir, 'idle.sh'), { kubernetes }, ':');
  const pids: { [K in 'hooklet' | 'peer' | 'limit']?: number } = {};
  for (const contender of contendersOf(stage)) {
    const operator = ends.use(await startOperator(stage, { hooksDir, contender }));
    await operator.synchronized();
    pids[contender.name] = operator.pid;
  }
  const paths = labels.map((label) => `/api/v1/configmaps?labelSelector=bench%3D${label}`).join(' ');
  pids.limit = ends.use(await startBare(stage, 'watches', { BARE_PATHS: paths })).pid;
  await sleep(SETTLE_MS);
  const [hooklet, limit, peer] = await Promise.all([look(pids.hooklet), look(pids.limit), look(pids.peer)]);
  const figure = (name: 'CPU' | 'PSS', unit: '%' | 'MB', most: number): Measure => ({
    name,
    unit,
    hooklet: hooklet?.[name] ?? Number.NaN,
    limit: limit?.[name] ?? Number.NaN,
    ...(peer !== undefined && { peer: peer[name] }),
    goal: { type: 'value', most },
  });
  return [figure('CPU', '%', 0.2), figure('PSS', 'MB', 62)];
}

interface Look {
  readonly CPU: number;
  readonly PSS: number;
}

/** All subjects are measured in the same half minute. */
async function look(pid: number | undefined): Promise<Look | undefined> {
  if (pid === undefined) return undefined;
  const before = busySeconds(pid);
  const sizes: number[] = [];
  for (let index = 0; index < LOOKS; index++) {
    await sleep(LOOK_MS / LOOKS);
    sizes.push(pssMb(pid));
  }
  return { CPU: ((busySeconds(pid) - before) * 100_000) / LOOK_MS, PSS: median(sizes) };
}
