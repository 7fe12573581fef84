import { join } from 'node:path';
import { median, until } from '../figures.ts';
import { openLineFile } from '../line-file.ts';
import { watchMemory } from '../memory.ts';
import { startOperator } from '../operator.ts';
import { changePod, fillPods } from '../pods.ts';
import type { Measure } from '../row.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage, type Contender } from '../stage.ts';

const ROUNDS = 5;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

interface Relist {
  /** The longest pause of the event loop. */
  readonly pauseMs: number;
  readonly extraMb: number;
}

/**
 * Restarts the API server, so that the resourceVersion of the watch on 10,000 pods has expired (410) and they are
 * listed again: the longest pause of the event loop meanwhile, and the additional memory.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await fillPods(stage, 10_000, 'full');
  const hooksDir = stageFolder(stage, 'hooks');
  const binding = { name: 'pods', apiVersion: 'v1', kind: 'Pod', executeHookOnSynchronization: false };
  writeShellHook(join(hooksDir, 'pods.sh'), { kubernetes: [binding] });
  using out = openLineFile(join(stage.folder, 'events'));
  using pauses = openLineFile(join(stage.folder, 'pauses'));
  await using operator = await startOperator(stage, {
    hooksDir,
    contender: probed(stage.hooklet),
    env: { BENCH_OUT: out.path, BENCH_PAUSES: pauses.path },
  });
  await operator.synchronized();
  const relists: Relist[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Seen before the next relist, and after the last one.
    const see = async (): Promise<void> => {
      const seen = out.lines().length;
      await changePod(stage, 0);
      await out.reach(seen + 1);
    };
    await see();
    process.kill(operator.pid, 'SIGUSR2');
    await pauses.reach(2 * round + 1);
    using memory = watchMemory(operator.pid);
    const beforeMb = memory.lastMb;
    // Newer versions than the watch has seen: otherwise its resourceVersion would still be valid.
    for (const half of ['a', 'b'])
      await stage.api.call('POST', CONFIG_MAPS, { metadata: { name: `${half}-${round}` } });
    await stage.plane.killApiserver();
    await stage.plane.startApiserver();
    await until(async () => (expired(await operator.metrics()) > round ? true : undefined), {
      timeoutMs: 60_000,
      everyMs: 200,
    });
    await see();
    process.kill(operator.pid, 'SIGUSR2');
    const lines = await pauses.reach(2 * round + 2);
    relists.push({ pauseMs: Number(lines.at(-1)), extraMb: memory.peakMb - beforeMb });
  }
  const figure = (name: string, unit: 'ms' | 'MB', most: number, value: (relist: Relist) => number): Measure => {
    return { name, unit, hooklet: median(relists.map(value)), goal: { type: 'value', most } };
  };
  return [
    figure('longest pause', 'ms', 50, ({ pauseMs }) => pauseMs),
    figure('extra PSS', 'MB', 60, ({ extraMb }) => extraMb),
  ];
}

function expired(metrics: string): number {
  return Number(/kube_reflector_restarts_total\{[^}]*reason="expired"[^}]*\} (\d+)/.exec(metrics)?.[1] ?? 0);
}

/** Hooklet with the event loop probe preloaded. */
function probed(contender: Contender): Contender {
  const [node = '', ...program] = contender.command;
  return { ...contender, command: [node, '--import', join(import.meta.dirname, '..', 'loop-probe.ts'), ...program] };
}
