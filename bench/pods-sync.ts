import { join } from 'node:path';
import { startBare } from './bare/client.ts';
import { median, nowMs, sleep } from './figures.ts';
import { interleaved } from './interleave.ts';
import { openLineFile } from './line-file.ts';
import { watchMemory } from './memory.ts';
import { startOperator } from './operator.ts';
import type { Measure } from './row.ts';
import { writeShellHook } from './shell-hook.ts';
import { stageFolder, type BenchStage, type Contender } from './stage.ts';

/** A filter that keeps only the name and images of a pod. */
export const FILTERED = {
  jqFilter: '{name: .metadata.name, images: [.spec.containers[].image]}',
  keepFullObjectsInMemory: false,
};

const ROUNDS = 5;
const SETTLE_MS = 10_000;

/** The watched pods, and the part of them that is stored. */
export interface PodsSync {
  /** Fields of the binding besides its kind. */
  readonly binding: Readonly<Record<string, unknown>>;
  readonly keeps: 'text' | 'filter result';
  readonly mostPeakMb: number;
  readonly mostSettledMb: number;
}

interface Start {
  readonly seconds: number;
  readonly peakMb: number;
  /** Ten seconds after the Synchronization. */
  readonly settledMb: number;
}

/**
 * Measures from the start of the process to the start of the hook that gets all pods as Synchronization, and the
 * memory of the process tree. The limit is a streamed list in a process of its own, also from its start, which runs
 * no hook.
 */
export async function measurePodsSync(stage: BenchStage, options: PodsSync): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  const binding = { name: 'pods', apiVersion: 'v1', kind: 'Pod', executeHookOnEvent: ['Added'], ...options.binding };
  writeShellHook(join(hooksDir, 'pods.sh'), { kubernetes: [binding] });
  const { peer } = stage;
  const { hooklet, limit, ...others } = await interleaved<'hooklet' | 'limit' | 'peer', Start>(ROUNDS, {
    hooklet: async () => synchronize(stage, { hooksDir, contender: stage.hooklet }),
    limit: async () => listBare(stage, options.keeps),
    peer: peer && (async () => synchronize(stage, { hooksDir, contender: peer })),
  });
  const figure = (name: string, unit: 's' | 'MB', value: (start: Start) => number): Measure => ({
    name,
    unit,
    hooklet: median(hooklet.map(value)),
    limit: median(limit.map(value)),
    ...(peer !== undefined && { peer: median(others.peer.map(value)) }),
  });
  const value = (most: number) => ({ type: 'value', most }) as const;
  return [
    { ...figure('Synchronization', 's', ({ seconds }) => seconds), goal: { type: 'ratio', most: 1.3 } },
    { ...figure('peak PSS', 'MB', ({ peakMb }) => peakMb), goal: value(options.mostPeakMb) },
    { ...figure('settled PSS', 'MB', ({ settledMb }) => settledMb), goal: value(options.mostSettledMb) },
  ];
}

interface Subject {
  readonly hooksDir: string;
  readonly contender: Contender;
}

async function synchronize(stage: BenchStage, { hooksDir, contender }: Subject): Promise<Start> {
  using out = openLineFile(join(stage.folder, 'synchronized'));
  await using operator = await startOperator(stage, { hooksDir, contender, env: { BENCH_OUT: out.path } });
  using memory = watchMemory(operator.pid);
  const [line = ''] = await out.reach(1);
  await sleep(SETTLE_MS);
  const seconds = Number(line.split(' ')[0]) - operator.startedAtMs / 1000;
  return { seconds, peakMb: memory.peakMb, settledMb: memory.lastMb };
}

async function listBare(stage: BenchStage, keeps: PodsSync['keeps']): Promise<Start> {
  const startedAtMs = nowMs();
  await using client = await startBare(stage, 'list-pods', { BARE_KEEPS: keeps });
  using memory = watchMemory(client.pid);
  const { value: line = '' } = await client.lines.next();
  await sleep(SETTLE_MS);
  const seconds = (Number(line.split(' ')[0]) - startedAtMs) / 1000;
  return { seconds, peakMb: memory.peakMb, settledMb: memory.lastMb };
}
