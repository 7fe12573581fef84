import { startFleet, writeFleet } from '../hooks-start.ts';
import type { Measure } from '../row.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const ROUNDS = 5;
const HOOKS = 100;

/** 100 hooks, each with a watch of its own, from the start of the process to the last Synchronization. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const labels = Array.from({ length: HOOKS }, (_, index) => `fleet-${index}`);
  const bindings = labels.map((bench) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    labelSelector: { matchLabels: { bench } },
  }));
  const paths = labels.map((bench) => `/api/v1/configmaps?labelSelector=bench%3D${bench}`);
  const fleet = writeFleet(stageFolder(stage, 'hooks'), bindings, paths);
  const times = await startFleet(stage, fleet, ROUNDS);
  return [{ name: 'time', unit: 's', ...times, goal: { type: 'ratio', most: 1.15 } }];
}
