import { join } from 'node:path';
import { freePorts } from '../../test/cluster/free-ports.ts';
import { median, nowMs, sleep, until } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile, type LineFile } from '../line-file.ts';
import { startOperator } from '../operator.ts';
import { playNode } from '../played-node.ts';
import type { Measure } from '../row.ts';
import { apiText } from '../api-text.ts';
import { bindingOf } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const RUNS = 20;
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
/** Writes about runs; tokens are those of the played kubelet, which are not counted. */
const COUNTED =
  /^apiserver_request_total\{(?=.*resource="(?:jobs|pods|events|tokenreviews)").*verb="(?:POST|PUT|PATCH|DELETE|APPLY)"/;

/**
 * One run at a time of a hook whose runs are Jobs, on a control plane whose scheduler and kubelet are played without delay.
 * The limit is a bare Job whose container does nothing.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await using ends = new AsyncDisposableStack();
  const out = ends.use(openLineFile(join(stage.folder, 'hooklet.out')));
  const bare = ends.use(openLineFile(join(stage.folder, 'bare.out')));
  const [program, main] = stage.hooklet.command;
  await playNode(
    stage,
    async ({ labels, env, tokenFile }) =>
      labels['bench'] === 'bare'
        ? { command: ['bash', '-c', 'echo "$EPOCHREALTIME" >> "$BENCH_OUT"'], env: { BENCH_OUT: bare.path } }
        : {
            command: [program ?? '', main ?? '', 'exec-run'],
            env: { ...env, HOOKLET_JOB_TOKEN_FILE: await tokenFile(), BENCH_OUT: out.path },
          },
    ends,
  );
  await startHooklet(stage, ends);
  const { hooklet, limit } = await interleaved(RUNS, {
    hooklet: async (index) => hookletRun(stage, out, index),
    limit: async (index) => bareRun(stage, bare, index),
  });
  const of = (runs: readonly OneRun[], what: keyof OneRun): number => median(runs.map((run) => run[what]));
  const figure = (name: string, unit: Measure['unit'], what: keyof OneRun): Measure => ({
    name,
    unit,
    hooklet: of(hooklet, what),
    limit: of(limit, what),
  });
  return [
    figure('event to hook start, p50', 'ms', 'startMs'),
    { ...figure('writes to the API server for a run', 'requests', 'writes'), goal: { type: 'ratio', most: 1.35 } },
  ];
}

interface OneRun {
  readonly startMs: number;
  readonly writes: number;
}

async function startHooklet(stage: BenchStage, ends: AsyncDisposableStack): Promise<void> {
  const hooksDir = stageFolder(stage, 'hooks');
  const settings = { executor: 'job' };
  const body = 'echo "$began" >> "$BENCH_OUT"';
  writeShellHook(join(hooksDir, 'job.sh'), { settings, kubernetes: [bindingOf('job')] }, body);
  const [port = 0] = await freePorts(1);
  const operator = ends.use(
    await startOperator(stage, {
      hooksDir,
      env: {
        POD_NAMESPACE: 'default',
        HOOKLET_JOBS_LISTEN_ADDRESS: '127.0.0.1',
        HOOKLET_JOBS_LISTEN_PORT: String(port),
      },
      flags: ['--jobs-url', `https://127.0.0.1:${port}`, '--jobs-image', 'bench', '--jobs-per-second', '0'],
    }),
  );
  await operator.synchronized();
}

async function hookletRun(stage: BenchStage, out: LineFile, index: number): Promise<OneRun> {
  const metadata = { name: `job-${index}`, namespace: 'default', labels: { bench: 'job' } };
  return measured(stage, { out, index }, async () => {
    await stage.api.call('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  });
}

async function bareRun(stage: BenchStage, out: LineFile, index: number): Promise<OneRun> {
  const name = `bare-${index}`;
  const template = {
    metadata: { labels: { bench: 'bare' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'hook', image: 'bench', command: ['true'] }] },
  };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { backoffLimit: 0, template } };
  return measured(
    stage,
    { out, index },
    async () => void (await stage.api.call('POST', JOBS, job)),
    async () => {
      // As hooklet does when the run has ended.
      await until(async () => (await hasEnded(stage, name)) || undefined, { everyMs: 20, timeoutMs: 60_000 });
      const body = { propagationPolicy: 'Background' };
      await stage.api.call('DELETE', `${JOBS}/${name}`, body);
    },
  );
}

async function hasEnded({ api }: BenchStage, name: string): Promise<boolean> {
  const { body } = await api.call('GET', `/api/v1/namespaces/default/pods?labelSelector=job-name%3D${name}`);
  return JSON.stringify(body).includes('"phase":"Succeeded"');
}

/** Measures what `begin` brings about, until its Pods and its Job are gone. */
async function measured(
  stage: BenchStage,
  { out, index }: { readonly out: LineFile; readonly index: number },
  begin: () => Promise<void>,
  finish: () => Promise<void> = async () => {},
): Promise<OneRun> {
  const before = await writes(stage);
  const beganAtMs = nowMs();
  await begin();
  const lines = await out.reach(index + 1);
  const startMs = Number(lines[index]) * 1000 - beganAtMs;
  await finish();
  await until(async () => ((await isEmpty(stage)) ? true : undefined), { everyMs: 50, timeoutMs: 60_000 });
  // Events come late.
  await sleep(500);
  return { startMs, writes: (await writes(stage)) - before };
}

async function isEmpty({ api }: BenchStage): Promise<boolean> {
  const lists = await Promise.all([JOBS, '/api/v1/namespaces/default/pods'].map(async (path) => api.call('GET', path)));
  return lists.every(({ body }) => Array.isArray(body['items']) && body['items'].length === 0);
}

async function writes(stage: BenchStage): Promise<number> {
  const lines = (await apiText(stage, '/metrics')).split('\n').filter((line) => COUNTED.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
