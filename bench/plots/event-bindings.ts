import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { sleep } from '../figures.ts';
import { busySeconds } from '../memory.ts';
import { startOperator } from '../operator.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';
import type { Chart, Point } from './chart.ts';

const COUNTS = [1, 3, 10, 30, 100, 300, 1000];
const EVENTS = 600;
const AT_ONCE = 4;
const QUIET_MS = 400;
const QUIET_SHARE = 0.03;
const OBJECT = '/api/v1/namespaces/default/configmaps/watched';

/** CPU time of one event against the number of bindings that watch it; no filter result changes. */
export async function plot(stage: BenchStage): Promise<readonly Chart[]> {
  const metadata = { name: 'watched', labels: { app: 'web' } };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(3000) } };
  await stage.api.call('POST', '/api/v1/namespaces/default/configmaps', object);
  const [hooklet, bare]: [Point[], Point[]] = [[], []];
  for (const count of COUNTS) {
    hooklet.push({ x: count, y: await eventUs(stage, count) });
    bare.push({ x: count, y: await bareUs(stage, count) });
  }
  const chart: Chart = {
    name: 'event-bindings',
    title: 'Cost of an event against bindings that watch it',
    x: { label: 'bindings', unit: '' },
    y: { label: 'CPU time of one event', unit: 'µs' },
    series: [
      { name: 'hooklet', role: 'hooklet', points: hooklet },
      { name: 'by hand', role: 'limit', points: bare },
    ],
  };
  return [chart];
}

async function eventUs(stage: BenchStage, count: number): Promise<number> {
  const hooksDir = stageFolder(stage, `hooks-${count}`);
  const binding = { apiVersion: 'v1', kind: 'ConfigMap', jqFilter: '.metadata.labels', queue: 'events' };
  const kubernetes = Array.from({ length: count }, (_, index) => ({
    ...binding,
    name: `binding-${index}`,
    executeHookOnSynchronization: false,
  }));
  writeShellHook(join(hooksDir, 'events.sh'), { kubernetes }, ':');
  await using operator = await startOperator(stage, { hooksDir });
  await operator.synchronized();
  return await cpuUs(stage, operator.pid);
}

async function bareUs(stage: BenchStage, count: number): Promise<number> {
  await using client = await startBare(stage, 'watch-filter', { BARE_BINDINGS: String(count) });
  return await cpuUs(stage, client.pid);
}

/** The CPU time of one event, averaged over this many. */
async function cpuUs(stage: BenchStage, pid: number): Promise<number> {
  // During the first events the code is compiled.
  await change(stage, EVENTS / 4);
  const before = await quietSeconds(pid);
  await change(stage, EVENTS);
  return (((await quietSeconds(pid)) - before) * 1e6) / EVENTS;
}

/** The CPU time so far, once the process is idle. */
async function quietSeconds(pid: number): Promise<number> {
  for (let before = busySeconds(pid); ;) {
    await sleep(QUIET_MS);
    const now = busySeconds(pid);
    if (now - before < (QUIET_MS / 1000) * QUIET_SHARE) return now;
    before = now;
  }
}

let changes = 0;

async function change({ api }: BenchStage, count: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next++ < count) {
      const patch = { metadata: { annotations: { change: String(changes++) } } };
      const { status } = await api.call('PATCH', OBJECT, patch, 'application/merge-patch+json');
      if (status !== 200) throw new Error(`a change is refused with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
