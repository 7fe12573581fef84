import { sleep } from '../figures.ts';
import { cpuSeconds, pssMb } from '../memory.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import type { BenchStage } from '../stage.ts';
import { join } from 'node:path';

const SETTLE_MS = 10_000;

/** Memory and CPU of the idle process tree, ten seconds after its start. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = join(import.meta.dirname, '..', 'hooks');
  await using operator = await startOperator(stage, { hooksDir, env: { BENCH_OUT: '/dev/null' }, logLevel: 'debug' });
  await operator.said('hook enabled');
  await sleep(SETTLE_MS);
  const before = cpuSeconds(operator.pid);
  await sleep(SETTLE_MS);
  const percent = ((cpuSeconds(operator.pid) - before) * 100_000) / SETTLE_MS;
  return [
    { name: 'CPU', unit: '%', hooklet: percent, goal: { type: 'value', most: 0.2 } },
    { name: 'PSS', unit: 'MB', hooklet: pssMb(operator.pid), goal: { type: 'value', most: 90 } },
  ];
}
