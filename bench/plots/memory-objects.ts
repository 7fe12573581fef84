import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { sleep } from '../figures.ts';
import { pssMb } from '../memory.ts';
import { startOperator } from '../operator.ts';
import { fillPods } from '../pods.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';
import type { Chart, Point } from './chart.ts';

const COUNTS = [1000, 3000, 10_000, 30_000, 100_000];
const SETTLE_MS = 8000;
const IMAGES = '{name: .metadata.name, images: [.spec.containers[].image]}';

/** Memory of the process tree, settled, against the number of pods that a binding watches. */
export async function plot(stage: BenchStage): Promise<Chart> {
  const full = folderOf(stage, 'full', {});
  const filtered = folderOf(stage, 'filtered', { jqFilter: IMAGES, keepFullObjectsInMemory: false });
  const curves: Record<'full' | 'filtered' | 'bare', Point[]> = { full: [], filtered: [], bare: [] };
  for (const count of COUNTS) {
    await fillPods(stage, count, 'small');
    curves.full.push({ x: count, y: await settledMb(stage, full) });
    curves.filtered.push({ x: count, y: await settledMb(stage, filtered) });
    curves.bare.push({ x: count, y: await bareMb(stage) });
  }
  return {
    name: 'memory-objects',
    title: 'Memory against objects, pods of 1.3 KB',
    x: { label: 'objects watched', unit: '' },
    y: { label: 'PSS of the process tree, settled', unit: 'MB' },
    series: [
      { name: 'jqFilter only', role: 'hooklet', points: curves.filtered },
      { name: 'full objects', role: 'variant', points: curves.full },
      { name: 'bare, results only', role: 'limit', points: curves.bare },
    ],
  };
}

function folderOf(stage: BenchStage, name: string, more: Readonly<Record<string, unknown>>): string {
  const hooksDir = stageFolder(stage, `hooks-${name}`);
  // No run is given all the objects: what is asked is what it takes to keep them.
  const binding = { apiVersion: 'v1', kind: 'Pod', executeHookOnSynchronization: false, ...more };
  writeShellHook(join(hooksDir, 'pods.sh'), { kubernetes: [{ name: 'pods', ...binding }] }, ':');
  return hooksDir;
}

async function settledMb(stage: BenchStage, hooksDir: string): Promise<number> {
  await using operator = await startOperator(stage, { hooksDir });
  await operator.synchronized();
  await sleep(SETTLE_MS);
  return pssMb(operator.pid);
}

async function bareMb(stage: BenchStage): Promise<number> {
  await using client = await startBare(stage, 'list-pods', { BARE_KEEPS: 'filter result' });
  await client.lines.next();
  await sleep(SETTLE_MS);
  return pssMb(client.pid);
}
