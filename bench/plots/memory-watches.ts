import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { sleep } from '../figures.ts';
import { pssMb } from '../memory.ts';
import { startOperator } from '../operator.ts';
import { bindingOf } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';
import type { Chart, Point } from './chart.ts';

const COUNTS = [1, 10, 30, 100, 300, 1000];
const SETTLE_MS = 4000;

/** Settled memory of the process tree against the number of distinct watches. */
export async function plot(stage: BenchStage): Promise<readonly Chart[]> {
  const [hooklet, bare]: [Point[], Point[]] = [[], []];
  for (const count of COUNTS) {
    hooklet.push({ x: count, y: await settledMb(stage, count) });
    bare.push({ x: count, y: await bareMb(stage, count) });
  }
  const chart: Chart = {
    name: 'memory-watches',
    title: 'Memory against distinct watches',
    x: { label: 'watches', unit: '' },
    y: { label: 'PSS of the process tree, settled', unit: 'MB' },
    series: [
      { name: 'hooklet', role: 'hooklet', points: hooklet },
      { name: 'bare, HTTP/1.1', role: 'limit', points: bare },
    ],
  };
  return [chart];
}

async function settledMb(stage: BenchStage, count: number): Promise<number> {
  const hooksDir = stageFolder(stage, `hooks-${count}`);
  const kubernetes = labelsOf(count).map((label) => ({ ...bindingOf(label), name: label }));
  writeShellHook(join(hooksDir, 'watches.sh'), { kubernetes }, ':');
  await using operator = await startOperator(stage, { hooksDir });
  await operator.synchronized();
  await sleep(SETTLE_MS);
  return pssMb(operator.pid);
}

async function bareMb(stage: BenchStage, count: number): Promise<number> {
  const paths = labelsOf(count).map((label) => `/api/v1/configmaps?labelSelector=bench%3D${label}`);
  await using client = await startBare(stage, 'watches', { BARE_PATHS: paths.join(' ') });
  await sleep(SETTLE_MS);
  return pssMb(client.pid);
}

function labelsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `watch-${index}`);
}
