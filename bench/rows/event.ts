import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { nowMs, quantile, sleep } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile, type LineFile } from '../line-file.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import type { BenchStage } from '../stage.ts';

const EVENTS = 300;
const HOOKS = join(import.meta.dirname, '..', 'hooks');
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** From before the POST to the start of a bash hook: hooklet, and a bare watch that has it spawned, in turn. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  using hookletOut = openLineFile(join(stage.folder, 'hooklet.out'));
  using bareOut = openLineFile(join(stage.folder, 'bare.out'));
  await using operator = await startOperator(stage, {
    hooksDir: HOOKS,
    env: { BENCH_OUT: hookletOut.path },
    logLevel: 'debug',
  });
  await operator.said('hook enabled');
  await using _bare = await startBare(stage, 'watch-spawn', {
    BARE_PATH: '/api/v1/configmaps?labelSelector=bench%3Dbare',
    BARE_HOOK: join(HOOKS, 'event.sh'),
    BENCH_OUT: bareOut.path,
  });
  const { hooklet, limit } = await interleaved(EVENTS, {
    hooklet: async (index) => once(stage, { label: 'hooklet', index, out: hookletOut }),
    limit: async (index) => once(stage, { label: 'bare', index, out: bareOut }),
  });
  const figure = (name: string, share: number, most: number): Measure => {
    const [ours, theirs] = [quantile(hooklet, share), quantile(limit, share)];
    return { name, unit: 'ms', hooklet: ours, limit: theirs, goal: { type: 'ratio', most } };
  };
  return [figure('p50', 0.5, 1.25), figure('p99', 0.99, 1.5)];
}

interface OneEvent {
  readonly label: string;
  readonly index: number;
  readonly out: LineFile;
}

/** Causes one event and resolves to the milliseconds until the hook began. */
async function once(stage: BenchStage, { label, index, out }: OneEvent): Promise<number> {
  const metadata = { name: `${label}-${index}`, namespace: 'default', labels: { bench: label } };
  const postedAtMs = nowMs();
  await stage.api.call('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const lines = await out.reach(index + 1);
  // Idle is what is asked about: what the event set off has to end.
  await sleep(20);
  return Number(lines[index]) * 1000 - postedAtMs;
}
