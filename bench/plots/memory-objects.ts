import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { nowMs, sleep } from '../figures.ts';
import { pssMb } from '../memory.ts';
import { startOperator } from '../operator.ts';
import { fillPods } from '../pods.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';
import type { Chart, Series } from './chart.ts';

const COUNTS = [1000, 3000, 10_000, 30_000, 100_000];
const SETTLE_MS = 6000;
const IMAGES = '{name: .metadata.name, images: [.spec.containers[].image]}';

/** Settled memory of the process tree, and the time of the Synchronization, against the number of watched pods. */
export async function plot(stage: BenchStage): Promise<readonly Chart[]> {
  const full = folderOf(stage, 'full', {});
  const filtered = folderOf(stage, 'filtered', { jqFilter: IMAGES, keepFullObjectsInMemory: false });
  const curves: Readonly<Record<'full' | 'filtered' | 'bare', Kept[]>> = { full: [], filtered: [], bare: [] };
  for (const count of COUNTS) {
    await fillPods(stage, count, 'small');
    curves.full.push({ count, ...(await synchronize(stage, full)) });
    curves.filtered.push({ count, ...(await synchronize(stage, filtered)) });
    curves.bare.push({ count, ...(await list(stage)) });
  }
  const seriesOf = (value: (kept: Kept) => number): readonly Series[] => {
    const points = (kept: readonly Kept[]) => kept.map((one) => ({ x: one.count, y: value(one) }));
    return [
      { name: 'jqFilter only', role: 'hooklet', points: points(curves.filtered) },
      { name: 'full objects', role: 'variant', points: points(curves.full) },
      { name: 'bare, results only', role: 'limit', points: points(curves.bare) },
    ];
  };
  return [
    {
      name: 'memory-objects',
      title: 'Memory against objects (pods of 1.3 KB)',
      x: { label: 'objects watched', unit: '' },
      y: { label: 'PSS of the process tree, settled', unit: 'MB' },
      series: seriesOf(({ mb }) => mb),
    },
    {
      name: 'start-objects',
      title: 'Start-up against objects (pods of 1.3 KB)',
      x: { label: 'objects watched', unit: '' },
      y: { label: 'start of the process to the Synchronization', unit: 's' },
      series: seriesOf(({ seconds }) => seconds),
    },
  ];
}

interface Kept {
  readonly count: number;
  readonly seconds: number;
  readonly mb: number;
}

function folderOf(stage: BenchStage, name: string, more: Readonly<Record<string, unknown>>): string {
  const hooksDir = stageFolder(stage, `hooks-${name}`);
  // No run gets all the objects: the memory to store them is measured.
  const binding = { apiVersion: 'v1', kind: 'Pod', executeHookOnSynchronization: false, ...more };
  writeShellHook(join(hooksDir, 'pods.sh'), { kubernetes: [{ name: 'pods', ...binding }] }, ':');
  return hooksDir;
}

async function synchronize(stage: BenchStage, hooksDir: string): Promise<Omit<Kept, 'count'>> {
  await using operator = await startOperator(stage, { hooksDir });
  await operator.synchronized();
  const seconds = (nowMs() - operator.startedAtMs) / 1000;
  await sleep(SETTLE_MS);
  return { seconds, mb: pssMb(operator.pid) };
}

async function list(stage: BenchStage): Promise<Omit<Kept, 'count'>> {
  const startedAtMs = nowMs();
  await using client = await startBare(stage, 'list-pods', { BARE_KEEPS: 'filter result' });
  await client.lines.next();
  const seconds = (nowMs() - startedAtMs) / 1000;
  await sleep(SETTLE_MS);
  return { seconds, mb: pssMb(client.pid) };
}
