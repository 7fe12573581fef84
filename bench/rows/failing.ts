import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { nowMs, quantile, sleep, until } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile } from '../line-file.ts';
import { startOperator } from '../operator.ts';
import { changeParent, createParents, defineParents } from '../parents.ts';
import type { Measure } from '../row.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const ROUNDS = 3;
const FAILING = 1000;
const CHANGES = 40;
const PAUSE_MS = 50;

/**
 * One object of a reconcile hook is well, 1,000 others fail at each attempt and are tried again after a second each.
 * Measured is from a change of the one that is well until its run begins; the limit is the same where it is alone.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await defineParents(stage);
  const hooksDir = stageFolder(stage, 'hooks');
  cpSync(join(import.meta.dirname, '..', 'warm-hooks', 'failing.ts'), join(hooksDir, 'failing.ts'));
  const fails = Array.from({ length: FAILING }, () => ({ text: 'first', fails: true }));
  await createParents(stage, 'crowd', [{ text: 'first' }, ...fails]);
  await createParents(stage, 'alone', [{ text: 'first' }]);
  const { hooklet, limit } = await interleaved<'hooklet' | 'limit', Crowd>(ROUNDS, {
    hooklet: async (round) => changesIn(stage, { hooksDir, namespace: 'crowd', failing: FAILING, round }),
    limit: async (round) => changesIn(stage, { hooksDir, namespace: 'alone', failing: 0, round }),
  });
  const figure = (name: string, share: number): Measure => {
    const of = (crowds: readonly Crowd[]): number =>
      quantile(
        crowds.flatMap(({ times }) => times),
        share,
      );
    return { name, unit: 'ms', hooklet: of(hooklet), limit: of(limit) };
  };
  const attempts = quantile(
    hooklet.map(({ failedASecond }) => failedASecond),
    0.5,
  );
  return [
    figure('p50', 0.5),
    figure('p99', 0.99),
    { name: 'failed runs meanwhile', unit: 'runs/s', hooklet: attempts },
  ];
}

interface Scene {
  readonly hooksDir: string;
  readonly namespace: string;
  readonly failing: number;
  readonly round: number;
}

interface Crowd {
  readonly times: readonly number[];
  readonly failedASecond: number;
}

async function changesIn(stage: BenchStage, { hooksDir, namespace, failing, round }: Scene): Promise<Crowd> {
  using out = openLineFile(join(stage.folder, `${namespace}-${round}.out`));
  const env = { BENCH_NAMESPACE: namespace, BENCH_OUT: out.path };
  await using operator = await startOperator(stage, { hooksDir, env });
  await operator.synchronized();
  await out.reach(1);
  const failed = async () => failedRuns(await operator.metrics());
  // Each has failed twice, so new code is as fast as it gets.
  const isUnderWay = async () => ((await failed()) >= 2 * failing ? true : undefined);
  await until(isUnderWay, { everyMs: 250, timeoutMs: 60_000, what: 'not all objects failed' });
  const [beganMs, before] = [nowMs(), await failed()];
  const times: number[] = [];
  for (let index = 0; index < CHANGES; index++) {
    const changedAtMs = nowMs();
    const known = out.lines().length;
    await changeParent(stage, { namespace, index: 0, text: `${namespace} ${round} ${index}` });
    times.push(Number((await out.reach(known + 1))[known]) - changedAtMs);
    await sleep(PAUSE_MS);
  }
  return { times, failedASecond: ((await failed()) - before) / ((nowMs() - beganMs) / 1000) };
}

function failedRuns(page: string): number {
  const counts = page.matchAll(/^\w*hook_run_errors_total\{.*\} (\S+)$/gm);
  return [...counts].reduce((sum, [, value]) => sum + Number(value), 0);
}
