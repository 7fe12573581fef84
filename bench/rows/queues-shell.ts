import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { median, until } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile } from '../line-file.ts';
import { cpuSeconds } from '../memory.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const ROUNDS = 5;
const QUEUES = 20;
const OBJECTS = 25;
const RUNS = QUEUES * OBJECTS * 2;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
// The first run of each queue waits until all queues can begin.
const BODY = ['until [ -e "$BENCH_OUT.go" ]; do sleep 0.02; done', 'echo "$EPOCHREALTIME" >> "$BENCH_OUT"'].join('\n');

/**
 * 1,000 tasks wait in 20 queues, each for a run of its own: the hooks have two bindings, only one of which has
 * allowFailure, so neighbors are not combined. Measured is the rate of runs; the limit is a small process that only
 * starts the same script as often, 20 at a time.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  for (let queue = 0; queue < QUEUES; queue++) {
    const selector = { labelSelector: { matchLabels: { bench: 'queues' } } };
    const common = { apiVersion: 'v1', kind: 'ConfigMap', queue: `queue-${queue}`, ...selector };
    const events = { executeHookOnEvent: ['Added'], executeHookOnSynchronization: false };
    const bindings = [false, true].map((allowFailure) => ({
      name: `allow-failure-${allowFailure}`,
      ...common,
      ...events,
      allowFailure,
    }));
    writeShellHook(join(hooksDir, `hook-${queue}.sh`), { kubernetes: bindings }, BODY);
  }
  const { hooklet, limit } = await interleaved(ROUNDS, {
    hooklet: async (round) => drain(stage, hooksDir, round),
    limit: async (round) => spawnBare(stage, join(hooksDir, 'hook-0.sh'), round),
  });
  const rate = (drains: readonly Drain[]): number => median(drains.map(({ runsPerSecond }) => runsPerSecond));
  const cpu = (drains: readonly Drain[]): number => median(drains.map(({ cpuMs }) => cpuMs));
  return [
    { name: 'runs', unit: 'runs/s', hooklet: rate(hooklet), limit: rate(limit), goal: { type: 'ratio', least: 0.8 } },
    // CPU time, which does not depend on other load on the machine.
    { name: 'CPU of a run', unit: 'ms', hooklet: cpu(hooklet), limit: cpu(limit), goal: { type: 'ratio', most: 1.25 } },
  ];
}

interface Drain {
  readonly runsPerSecond: number;
  /** User and system time per run, of the script and of everything that runs it. */
  readonly cpuMs: number;
}

async function drain(stage: BenchStage, hooksDir: string, round: number): Promise<Drain> {
  using out = openLineFile(join(stage.folder, `hooklet-${round}`));
  await stage.api.call('DELETE', `${CONFIG_MAPS}?labelSelector=bench%3Dqueues`);
  await using operator = await startOperator(stage, { hooksDir, env: { BENCH_OUT: out.path } });
  const reach = async (metric: RegExp, least: number): Promise<void> => {
    const isReached = async () => (sumOf(await operator.metrics(), metric) >= least ? true : undefined);
    await until(isReached, { everyMs: 100, timeoutMs: 60_000, what: `${metric.source} did not come to ${least}` });
  };
  await operator.synchronized(QUEUES);
  for (let index = 0; index < OBJECTS; index++) {
    const metadata = { name: `queues-${round}-${index}`, labels: { bench: 'queues' } };
    await stage.api.call('POST', CONFIG_MAPS, { metadata });
  }
  await reach(/^\w*tasks_queue_length\{queue="queue-/, RUNS);
  const before = cpuSeconds(operator.pid);
  writeFileSync(`${out.path}.go`, '');
  const runsPerSecond = rateOf(await out.reach(RUNS));
  return { runsPerSecond, cpuMs: ((cpuSeconds(operator.pid) - before) * 1000) / RUNS };
}

async function spawnBare(stage: BenchStage, hook: string, round: number): Promise<Drain> {
  using out = openLineFile(join(stage.folder, `bare-${round}`));
  writeFileSync(`${out.path}.go`, '');
  const env = { BENCH_OUT: out.path, BARE_HOOK: hook, BARE_RUNS: String(RUNS), BARE_AT_ONCE: String(QUEUES) };
  await using bare = await startBare(stage, 'spawn-many', env);
  const before = cpuSeconds(bare.pid);
  const runsPerSecond = rateOf(await out.reach(RUNS));
  return { runsPerSecond, cpuMs: ((cpuSeconds(bare.pid) - before) * 1000) / RUNS };
}

function sumOf(metrics: string, metric: RegExp): number {
  const lines = metrics.split('\n').filter((line) => metric.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Runs per second, without the first ones that waited for the others. */
function rateOf(lines: readonly string[]): number {
  const seconds = lines.map(Number).toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [seconds[QUEUES], seconds.at(-1)];
  return (seconds.length - 1 - QUEUES) / (last - first);
}
