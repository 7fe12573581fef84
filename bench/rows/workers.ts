import { join } from 'node:path';
import { median, nowMs, sleep } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile, type LineFile } from '../line-file.ts';
import { cpuSeconds } from '../memory.ts';
import { startOperator, type RunningOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { bindingOf } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';
import { startWorkers } from '../workers.ts';

const ROUNDS = 3;
const CAPACITY = 4;
const RUN_SECONDS = 0.25;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/**
 * Runs of a shell hook that waits for 250 ms, as one that asks a server does, so that what counts is how many run at the
 * same time and not the two cores. Each worker takes 4 at a time; the limit is that many runs without any pause between
 * them. Where cores are the bound, the CPU that a run costs the operator says how many workers it can feed.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const of = (count: number) => async (round: number) => throughput(stage, { count, round });
  const measured = await interleaved(ROUNDS, { local: of(0), one: of(1), two: of(2), four: of(4) });
  const cpu = await interleaved(ROUNDS, {
    local: async (round) => operatorCpu(stage, { count: 0, round }),
    two: async (round) => operatorCpu(stage, { count: 2, round }),
  });
  const start = (all: readonly Throughput[]): number => median(all.map(({ startMs }) => startMs));
  return [
    rateOf('in the operator', 1, measured.local),
    rateOf('1 worker', 1, measured.one),
    rateOf('2 workers', 2, measured.two),
    rateOf('4 workers', 4, measured.four),
    {
      name: 'CPU of the operator for a run, limit one of its own',
      unit: 'ms',
      hooklet: median(cpu.two),
      limit: median(cpu.local),
      goal: { type: 'ratio', most: 0.5 },
    },
    {
      name: 'event to hook start, idle, p50, limit one of its own',
      unit: 'ms',
      hooklet: start(measured.two),
      limit: start(measured.local),
    },
  ];
}

function rateOf(name: string, pods: number, measured: readonly Throughput[]): Measure {
  const limit = (pods * CAPACITY) / RUN_SECONDS;
  const hooklet = median(measured.map(({ runsPerSecond }) => runsPerSecond));
  return { name, unit: 'runs/s', hooklet, limit, goal: { type: 'ratio', least: 0.8 } };
}

interface Throughput {
  readonly runsPerSecond: number;
  readonly startMs: number;
}

const SINGLE = 20;

interface Subject {
  /** Workers; 0: the operator runs its hooks itself. */
  readonly count: number;
  readonly round: number;
}

async function throughput(stage: BenchStage, subject: Subject): Promise<Throughput> {
  await using ends = new AsyncDisposableStack();
  const { places, post, out } = await begin(stage, { ...subject, capacity: CAPACITY, seconds: RUN_SECONDS }, ends);
  const starts: number[] = [];
  for (let index = 1; index <= SINGLE; index++) {
    await sleep(RUN_SECONDS * 1000 + 100);
    const postedAtMs = nowMs();
    await post(index);
    const lines = await out.reach(index + 1);
    starts.push(Number(lines[index]) * 1000 - postedAtMs);
  }
  await sleep(RUN_SECONDS * 1000 + 100);
  const runs = places * 12;
  for (let index = 0; index < runs; index++) await post(SINGLE + 1 + index);
  const all = await out.reach(SINGLE + 1 + runs);
  const times = all
    .slice(SINGLE + 1 + places)
    .map(Number)
    .toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return { runsPerSecond: (times.length - 1) / (last - first), startMs: median(starts) };
}

const BURST = 1000;

/** User and system time of the operator, and of the hooks that it starts, for each of 1,000 runs as fast as they come. */
async function operatorCpu(stage: BenchStage, subject: Subject): Promise<number> {
  await using ends = new AsyncDisposableStack();
  const { operator, post, out } = await begin(stage, { ...subject, capacity: 32, seconds: 0 }, ends);
  const before = cpuSeconds(operator.pid);
  for (let index = 1; index <= BURST; index++) await post(index);
  await out.reach(1 + BURST);
  await sleep(500);
  return ((cpuSeconds(operator.pid) - before) * 1000) / BURST;
}

interface Begun {
  readonly operator: RunningOperator;
  /** How many runs there are at the same time. */
  readonly places: number;
  readonly post: (index: number) => Promise<void>;
  readonly out: LineFile;
}

/** Starts what runs the hook, which has run once. */
async function begin(
  stage: BenchStage,
  { count, round, capacity, seconds }: Subject & { readonly capacity: number; readonly seconds: number },
  ends: AsyncDisposableStack,
): Promise<Begun> {
  const label = `w-${count}-${round}-${capacity}`;
  const own = { ...stage, folder: stageFolder(stage, label) };
  const out = ends.use(openLineFile(join(own.folder, 'out')));
  const places = Math.max(1, count) * capacity;
  const hooksDir = stageFolder(own, 'hooks');
  const binding = { ...bindingOf(label), concurrency: 'byObject', parallelism: places };
  const settings = count === 0 ? {} : { executor: 'workers' };
  const body = `echo "$began" >> "$BENCH_OUT"; sleep ${seconds}`;
  writeShellHook(join(hooksDir, 'hook.sh'), { settings, kubernetes: [binding] }, body);
  const options = { hooksDir, env: { BENCH_OUT: out.path } };
  const operator =
    count === 0
      ? ends.use(await startOperator(own, options))
      : (await startWorkers(own, { ...options, count, capacity }, ends)).operator;
  await operator.synchronized();
  const post = async (index: number): Promise<void> => {
    const metadata = { name: `${label}-${index}`, namespace: 'default', labels: { bench: label } };
    await own.api.call('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  };
  ends.defer(async () => void (await own.api.call('DELETE', `${CONFIG_MAPS}?labelSelector=bench%3D${label}`)));
  // The first hand-out waits for the silence of workers that an earlier operator may have had.
  await post(0);
  await out.reach(1);
  return { operator, places, post, out };
}
