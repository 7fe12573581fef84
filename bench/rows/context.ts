import { writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeContexts } from '../../src/hook/context.ts';
import type { KubernetesBinding } from '../../src/hook/binding.ts';
import type { Snapshot } from '../../src/hook/trigger.ts';
import { Workspaces } from '../../src/runner/workspace.ts';
import { median } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { fillPods, PODS_PATH } from '../pods.ts';
import type { Measure } from '../row.ts';
import type { BenchStage } from '../stage.ts';

const OBJECTS = 10_000;
const ROUNDS = 15;
const BINDING: KubernetesBinding = {
  type: 'kubernetes',
  name: 'pods',
  kind: 'Pod',
  executeHookOnEvent: [],
  executeHookOnSynchronization: true,
  waitForSynchronization: true,
  keepFullObjectsInMemory: true,
  allowFailure: false,
  queue: 'main',
  includeSnapshotsFrom: [],
};

/**
 * From a snapshot of 10,000 pods of 8.9 KB to the file that a hook reads; the limit is writing the same bytes at once.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const snapshot = await snapshotOf(stage);
  const contexts = () => {
    const hook = { name: 'hook', path: '', type: 'process', bindings: [BINDING], settings: {} } as const;
    return writeContexts({ hook, triggers: [{ type: 'synchronization', binding: BINDING }] }, () => snapshot);
  };
  const whole = Buffer.concat(contexts());
  const path = join(stage.folder, 'whole');
  const workspaces = new Workspaces({ folder: stage.folder, keepTmpFiles: false });
  const { hooklet, limit } = await interleaved(ROUNDS, {
    hooklet: async () => {
      const startedAtMs = performance.now();
      const workspace = await workspaces.open('hook', contexts());
      const tookMs = performance.now() - startedAtMs;
      workspace.close();
      return tookMs;
    },
    limit: async () => {
      const startedAtMs = performance.now();
      await writeFile(path, whole);
      const tookMs = performance.now() - startedAtMs;
      rmSync(path);
      return tookMs;
    },
  });
  const goal = { type: 'ratio', most: 1.5 } as const;
  return [{ name: 'time', unit: 'ms', hooklet: median(hooklet), limit: median(limit), goal }];
}

/** 10,000 copies of a pod as the server sends it, each in a buffer of its own. */
async function snapshotOf(stage: BenchStage): Promise<Snapshot> {
  await fillPods(stage, 1, 'full');
  const { body } = await stage.api.call('GET', `${PODS_PATH}/web-6d4cf56db6-000000`);
  const text = JSON.stringify(body);
  return Array.from({ length: OBJECTS }, (_, index) => ({
    namespace: 'bench-pods',
    name: `web-${index}`,
    object: new Uint8Array(Buffer.from(text)),
  }));
}
