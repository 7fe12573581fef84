import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './bare/client.ts';
import { median, nowMs, quantile, sleep } from './figures.ts';
import { interleaved } from './interleave.ts';
import { openLineFile, type LineFile } from './line-file.ts';
import { startOperator } from './operator.ts';
import type { Measure } from './row.ts';
import { writeShellHook } from './shell-hook.ts';
import { stageFolder, type BenchStage, type Contender } from './stage.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/**
 * A subject that sees events: its hook selects the label `bench` with this value, and appends its begin to the file.
 */
export interface Seer {
  readonly label: string;
  readonly out: LineFile;
}

export interface Seers {
  readonly hooklet: Seer;
  readonly limit: Seer;
  readonly peer: Seer | undefined;
}

/** Starts the subjects of one round; what it starts ends with `ends`. */
export type StartSeers = (stage: BenchStage, ends: AsyncDisposableStack) => Promise<Seers>;

export interface LatencySize {
  /** New processes of each subject, one after the other, because some processes are faster for as long as they run. */
  readonly rounds: number;
  /** Events that each process sees, one at a time. */
  readonly events: number;
  /** The goals of p50 and p99. */
  readonly most: readonly [p50: number, p99?: number];
}

/** Lets each subject see events in turn; a figure is the median of those of the processes. */
export async function latencies(
  stage: BenchStage,
  start: StartSeers,
  { rounds, events, most }: LatencySize,
): Promise<readonly Measure[]> {
  const times: Times[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push(await timesOf(stage, start, { round, events }));
    // The subjects of the next round begin with a list, in which they would see these events again.
    await stage.api.call('DELETE', `${CONFIG_MAPS}?labelSelector=bench`);
  }
  const of = (subject: keyof Times, share: number): number => median(times.map((one) => quantile(one[subject], share)));
  const hasPeer = times.every(({ peer }) => peer.length > 0);
  const figure = (name: string, share: number, goal?: number): Measure => ({
    name,
    unit: 'ms',
    hooklet: of('hooklet', share),
    limit: of('limit', share),
    ...(hasPeer && { peer: of('peer', share) }),
    ...(goal !== undefined && { goal: { type: 'ratio', most: goal } }),
  });
  return [figure('p50', 0.5, most[0]), figure('p99', 0.99, most[1])];
}

/** The milliseconds of the events of one process of each subject. */
type Times = Readonly<Record<keyof Seers, readonly number[]>>;

async function timesOf(
  stage: BenchStage,
  start: StartSeers,
  { round, events }: { readonly round: number; readonly events: number },
): Promise<Times> {
  await using ends = new AsyncDisposableStack();
  const { hooklet, limit, peer } = await start({ ...stage, folder: stageFolder(stage, `round-${round}`) }, ends);
  const eventMs = async (seer: Seer, index: number): Promise<number> => eventLatency(stage, seer, { round, index });
  return await interleaved(events, {
    hooklet: async (index) => eventMs(hooklet, index),
    limit: async (index) => eventMs(limit, index),
    peer: peer && (async (index) => eventMs(peer, index)),
  });
}

/** Causes one event and resolves to the milliseconds from before the POST until the hook began. */
async function eventLatency(
  stage: BenchStage,
  { label, out }: Seer,
  { round, index }: { readonly round: number; readonly index: number },
): Promise<number> {
  const metadata = { name: `${label}-${round}-${index}`, namespace: 'default', labels: { bench: label } };
  const postedAtMs = nowMs();
  await stage.api.call('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const lines = await out.reach(index + 1);
  // The row is about an idle operator: wait until the work of the event has ended.
  await sleep(20);
  const latencyMs = Number(lines[index]?.split(' ')[0]) * 1000 - postedAtMs;
  if (latencyMs <= 0)
    throw new Error(`${metadata.name}: the hook began ${-latencyMs} ms before the POST: ${lines[index]}`);
  return latencyMs;
}

/** An operator with one bash hook, synchronized. */
export async function startShellSeer(
  stage: BenchStage,
  contender: Contender,
  ends: AsyncDisposableStack,
): Promise<Seer> {
  const hooksDir = stageFolder(stage, `hooks-${contender.name}`);
  writeShellHook(join(hooksDir, 'event.sh'), { kubernetes: [bindingOf(contender.name)] }, WRITE_BEGAN);
  return startSeer(stage, { contender, hooksDir }, ends);
}

/** Hooklet with one warm TypeScript hook, synchronized. */
export async function startWarmSeer(stage: BenchStage, ends: AsyncDisposableStack): Promise<Seer> {
  const hooksDir = stageFolder(stage, 'hooks-warm');
  writeWarmHook(hooksDir, stage.hooklet.name);
  return startSeer(stage, { contender: stage.hooklet, hooksDir }, ends);
}

/** A bare watch that has a bash hook spawned, once it is ready. */
export async function startBareSeer(stage: BenchStage, ends: AsyncDisposableStack): Promise<Seer> {
  const hook = join(stageFolder(stage, 'hooks-bare'), 'event.sh');
  writeShellHook(hook, {}, WRITE_BEGAN);
  const out = ends.use(openLineFile(join(stage.folder, 'bare.out')));
  const env = { BARE_PATH: '/api/v1/configmaps?labelSelector=bench%3Dbare', BARE_HOOK: hook, BENCH_OUT: out.path };
  ends.use(await startBare(stage, 'watch-spawn', env));
  return { label: 'bare', out };
}

async function startSeer(
  stage: BenchStage,
  { contender, hooksDir }: { readonly contender: Contender; readonly hooksDir: string },
  ends: AsyncDisposableStack,
): Promise<Seer> {
  const out = ends.use(openLineFile(join(stage.folder, `${contender.name}.out`)));
  const operator = ends.use(await startOperator(stage, { hooksDir, contender, env: { BENCH_OUT: out.path } }));
  await operator.synchronized();
  return { label: contender.name, out };
}

/** The config of a binding that runs on Added. */
export function bindingOf(label: string): Readonly<Record<string, unknown>> {
  return {
    name: 'events',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    labelSelector: { matchLabels: { bench: label } },
    executeHookOnEvent: ['Added'],
    executeHookOnSynchronization: false,
  };
}

/** The hook does nothing else: only the time until it begins is measured. */
const WRITE_BEGAN = 'echo "$began" >> "$BENCH_OUT"';

/** Writes a TypeScript hook that appends the begin of its run and the number of its events. */
export function writeWarmHook(hooksDir: string, label: string): void {
  const code = `import { appendFileSync } from 'node:fs';
import { defineHook, kubernetes } from 'hooklet';

export default defineHook({
  bindings: {
    events: kubernetes({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      labelSelector: { matchLabels: { bench: ${JSON.stringify(label)} } },
      executeHookOnEvent: ['Added'],
      executeHookOnSynchronization: false,
    }),
  },
  run({ contexts }) {
    const began = (performance.timeOrigin + performance.now()) / 1000;
    appendFileSync(process.env.BENCH_OUT ?? '', \`\${began} \${contexts.length}\\n\`);
  },
});
`;
  writeFileSync(join(hooksDir, 'event.ts'), code);
}
