import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './bare/client.ts';
import { median, nowMs, sleep, until } from './figures.ts';
import { interleaved } from './interleave.ts';
import { cpuSeconds, watchMemory } from './memory.ts';
import { startOperator, type RunningOperator } from './operator.ts';
import { changeParent, createParents, defineParents, parentName, parentsPath } from './parents.ts';
import type { Measure } from './row.ts';
import { stageFolder, type BenchStage } from './stage.ts';
import { openWatch } from './watch.ts';

const CHANGES = 60;
// Long enough for the second run and the status, so that a change never waits for the one before.
const PAUSE_MS = 50;
const TIME_LIMIT_MS = 300_000;
/** As many parents as hooklet works on at the same time by default. */
const AT_ONCE = 4;
/** The two children and the status. */
const REQUESTS = 3;

export interface ConvergenceSize {
  readonly parents: number;
  readonly rounds: number;
  /** How long memory may settle after the work; default: it is not measured again. */
  readonly settleMs?: number;
}

/** What one subject needed. */
interface Convergence {
  /** From the start of the process until the last child was there. */
  readonly seconds: number;
  readonly cpuMs: number;
  readonly requests: number;
  readonly runs: number;
  readonly peakMb: number;
  readonly settledMb: number;
  /** From a change of one parent until its child is changed, the median. */
  readonly changeMs: number;
}

/**
 * Parents that are there before the process starts, with two children each, made by a warm TypeScript hook. The limit
 * is a bare client that watches the parents and sends the same three requests for each, for as many parents at once.
 */
export async function convergence(
  stage: BenchStage,
  { parents, rounds, settleMs = 0 }: ConvergenceSize,
): Promise<readonly Measure[]> {
  await defineParents(stage);
  const hooksDir = stageFolder(stage, 'hooks');
  cpSync(join(import.meta.dirname, 'warm-hooks', 'two-children.ts'), join(hooksDir, 'two-children.ts'));
  const { hooklet, limit } = await interleaved<'hooklet' | 'limit', Convergence>(rounds, {
    hooklet: async (round) =>
      measured(stage, { namespace: `hooklet-${round}`, parents, settleMs }, startHooklet(stage, hooksDir)),
    limit: async (round) => measured(stage, { namespace: `limit-${round}`, parents, settleMs: 0 }, startLimit(stage)),
  });
  const value = (name: string, unit: Measure['unit'], of: (one: Convergence) => number): Measure => {
    return { name, unit, hooklet: median(hooklet.map(of)) };
  };
  const figure = (name: string, unit: Measure['unit'], of: (one: Convergence) => number): Measure => {
    return { ...value(name, unit, of), limit: median(limit.map(of)) };
  };
  return [
    figure('start to the last child', 's', ({ seconds }) => seconds),
    figure('CPU of a parent', 'ms', ({ cpuMs }) => cpuMs),
    figure('requests of a parent', 'requests', ({ requests }) => requests),
    value('runs of a parent', 'runs', ({ runs }) => runs),
    value('peak PSS', 'MB', ({ peakMb }) => peakMb),
    ...(settleMs > 0 ? [value('settled PSS', 'MB', ({ settledMb }) => settledMb)] : []),
    figure('change of a parent to that of its child', 'ms', ({ changeMs }) => changeMs),
  ];
}

interface Scene {
  readonly namespace: string;
  readonly parents: number;
  readonly settleMs: number;
}

/** A subject that runs; disposing it ends the process. */
interface Subject extends AsyncDisposable {
  readonly pid: number;
  /** Waits until it has nothing more to do. */
  quiet(): Promise<void>;
  /** Requests and runs so far, where it counts them. */
  counts(): Promise<{ readonly requests: number; readonly runs: number }>;
}

type Start = (scene: Scene) => Promise<Subject>;

async function measured(stage: BenchStage, scene: Scene, start: Start): Promise<Convergence> {
  const { namespace, parents, settleMs } = scene;
  await createParents(
    stage,
    namespace,
    Array.from({ length: parents }, () => ({ text: 'first' })),
  );
  await sleep(1000);
  const core = `/api/v1/namespaces/${namespace}`;
  using configMaps = await openWatch(stage, `${core}/configmaps?labelSelector=bench%3Dchild`);
  using secrets = await openWatch(stage, `${core}/secrets?labelSelector=bench%3Dchild`);
  const startedAtMs = nowMs();
  await using subject = await start(scene);
  using memory = watchMemory(subject.pid);
  const [one, other] = await Promise.all([
    configMaps.seen(parents, TIME_LIMIT_MS),
    secrets.seen(parents, TIME_LIMIT_MS),
  ]);
  await subject.quiet();
  const { requests, runs } = await subject.counts();
  const cpuMs = (cpuSeconds(subject.pid) * 1000) / parents;
  const { peakMb } = memory;
  await sleep(settleMs);
  const settledMb = memory.lastMb;
  const changes: number[] = [];
  for (let index = 0; index < CHANGES; index++) {
    const beganMs = nowMs();
    await changeParent(stage, { namespace, index: (index * 7) % parents, text: `change ${index}` });
    const [seenMs] = await Promise.all([configMaps.seen(1), secrets.seen(1)]);
    changes.push(seenMs - beganMs);
    await sleep(PAUSE_MS);
  }
  return {
    seconds: (Math.max(one, other) - startedAtMs) / 1000,
    cpuMs,
    requests: requests / parents,
    runs: runs / parents,
    peakMb,
    settledMb,
    changeMs: median(changes),
  };
}

function startHooklet(stage: BenchStage, hooksDir: string): Start {
  return async ({ namespace }) => {
    const operator = await startOperator(stage, { hooksDir, env: { BENCH_NAMESPACE: namespace } });
    return {
      pid: operator.pid,
      quiet: async () => untilQuiet(operator),
      counts: async () => {
        const page = await operator.metrics();
        return {
          requests: sumOf(page, /^(?!object_patcher_)\w*kubernetes_client_request_result_total\{.*\} (\S+)$/gm),
          runs: sumOf(page, /^\w*hook_run_seconds_count\{.*\} (\S+)$/gm),
        };
      },
      [Symbol.asyncDispose]: async () => operator[Symbol.asyncDispose](),
    };
  };
}

function startLimit(stage: BenchStage): Start {
  return async ({ namespace, parents }) => {
    const env = { BARE_NAMESPACE: namespace, BARE_AT_ONCE: String(AT_ONCE) };
    const bare = await startBare(stage, 'two-children', env);
    return {
      pid: bare.pid,
      quiet: async () => {
        const path = `${parentsPath(namespace)}/${parentName(parents - 1)}`;
        const isDone = async () => ('status' in (await stage.api.call('GET', path)).body ? true : undefined);
        await until(isDone, { everyMs: 50, what: 'the last parent got no status' });
      },
      counts: async () => ({ requests: REQUESTS * parents, runs: parents }),
      [Symbol.asyncDispose]: async () => bare[Symbol.asyncDispose](),
    };
  };
}

/** Waits until nothing waits or runs; a metrics page is kept for a moment, so it looks twice. */
async function untilQuiet(operator: RunningOperator): Promise<void> {
  let quiet = 0;
  await until(
    async () => {
      const page = await operator.metrics();
      quiet = sumOf(page, /^\w*tasks_queue_length\{.*\} (\S+)$/gm) === 0 && page !== '' ? quiet + 1 : 0;
      return quiet >= 2 ? true : undefined;
    },
    { everyMs: 500, timeoutMs: TIME_LIMIT_MS, what: 'the queues did not become empty' },
  );
}

function sumOf(page: string, pattern: RegExp): number {
  return [...page.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}
