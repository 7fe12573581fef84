import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBare } from './bare/client.ts';
import { nowMs, quantile, sleep } from './figures.ts';
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

/** Lets each seer see this many events, in turn, one at a time; `most` are the goals of p50 and p99. */
export async function latencies(
  stage: BenchStage,
  { hooklet, limit, peer }: Seers,
  { events, most }: { readonly events: number; readonly most: readonly [p50: number, p99?: number] },
): Promise<readonly Measure[]> {
  const times = await interleaved(events, {
    hooklet: async (index) => eventMs(stage, hooklet, index),
    limit: async (index) => eventMs(stage, limit, index),
    peer: peer && (async (index) => eventMs(stage, peer, index)),
  });
  const figure = (name: string, share: number, most?: number): Measure => ({
    name,
    unit: 'ms',
    hooklet: quantile(times.hooklet, share),
    limit: quantile(times.limit, share),
    ...(times.peer.length > 0 && { peer: quantile(times.peer, share) }),
    ...(most !== undefined && { goal: { type: 'ratio', most } }),
  });
  return [figure('p50', 0.5, most[0]), figure('p99', 0.99, most[1])];
}

/** Causes one event and resolves to the milliseconds from before the POST until the hook began. */
async function eventMs(stage: BenchStage, { label, out }: Seer, index: number): Promise<number> {
  const metadata = { name: `${label}-${index}`, namespace: 'default', labels: { bench: label } };
  const postedAtMs = nowMs();
  await stage.api.call('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const lines = await out.reach(index + 1);
  // The row is about an idle operator: wait until the work of the event has ended.
  await sleep(20);
  return Number(lines[index]?.split(' ')[0]) * 1000 - postedAtMs;
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
