import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { median, until } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile } from '../line-file.ts';
import { cpuSeconds } from '../memory.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const ROUNDS = 5;
const OBJECTS = 10;
/** Each change is an event for both bindings. */
const RUNS = 5000;
const CHANGES_A_OBJECT = RUNS / 2 / OBJECTS;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

interface Drain {
  readonly runsPerSecond: number;
  /** User and system time per run, of the hook and of everything that runs it. */
  readonly cpuMs: number;
}

/**
 * 5,000 events of ten ConfigMaps wait in one queue, each for a run of its own: the hook has two bindings, only one of
 * which has allowFailure, so neighbors are not combined. Measured is the rate of runs, including the snapshot of ten
 * objects; the limit is a bare process that gets the same contexts one after the other.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  cpSync(join(import.meta.dirname, '..', 'warm-hooks', 'count.ts'), join(hooksDir, 'count.ts'));
  await Promise.all(Array.from({ length: OBJECTS }, async (_, index) => create(stage, index)));
  const { hooklet, limit } = await interleaved(ROUNDS, {
    hooklet: async (round) => drain(stage, hooksDir, round),
    limit: async () => echo(stage),
  });
  const figure = (name: string, unit: 'runs/s' | 'ms', value: (drain: Drain) => number): Measure => {
    return { name, unit, hooklet: median(hooklet.map(value)), limit: median(limit.map(value)) };
  };
  return [
    { ...figure('runs', 'runs/s', ({ runsPerSecond }) => runsPerSecond), goal: { type: 'value', least: 2000 } },
    figure('CPU of a run', 'ms', ({ cpuMs }) => cpuMs),
  ];
}

async function drain(stage: BenchStage, hooksDir: string, round: number): Promise<Drain> {
  using out = openLineFile(join(stage.folder, `runs-${round}`));
  await using operator = await startOperator(stage, { hooksDir, env: { BENCH_OUT: out.path } });
  await operator.synchronized();
  await Promise.all(Array.from({ length: OBJECTS }, async (_, index) => changeOften(stage, index)));
  const waiting = async () => /^\w*tasks_queue_length\{queue="warm"\} (\d+)$/m.exec(await operator.metrics())?.[1];
  const areWaiting = async () => (Number(await waiting()) >= RUNS ? true : undefined);
  await until(areWaiting, { everyMs: 100, timeoutMs: 60_000, what: `there are not ${RUNS} tasks` });
  const before = cpuSeconds(operator.pid);
  writeFileSync(`${out.path}.go`, '');
  const [summary = ''] = await out.reach(1);
  const [runs = 0, ms = 0] = summary.split(' ').map(Number);
  return { runsPerSecond: (runs * 1000) / ms, cpuMs: ((cpuSeconds(operator.pid) - before) * 1000) / runs };
}

async function echo(stage: BenchStage): Promise<Drain> {
  await using bare = await startBare(stage, 'echo', { BARE_RUNS: String(RUNS) });
  const before = cpuSeconds(bare.pid);
  const { value: summary = '' } = await bare.lines.next();
  const [runs = 0, ms = 0] = summary.split(' ').map(Number);
  return { runsPerSecond: (runs * 1000) / ms, cpuMs: ((cpuSeconds(bare.pid) - before) * 1000) / runs };
}

async function create(stage: BenchStage, index: number): Promise<void> {
  const metadata = { name: `warm-${index}`, labels: { bench: 'warm' } };
  await stage.api.call('POST', CONFIG_MAPS, { metadata, data: { change: '' } });
}

async function changeOften(stage: BenchStage, index: number): Promise<void> {
  for (let change = 0; change < CHANGES_A_OBJECT; change++) {
    const patch = { data: { change: `${change} ${performance.now()}` } };
    await stage.api.call('PATCH', `${CONFIG_MAPS}/warm-${index}`, patch, 'application/merge-patch+json');
  }
}
