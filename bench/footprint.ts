import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOperator } from './operator.ts';
import type { BenchStage } from './stage.ts';

const SETTLE_MS = 10_000;

/** Memory (PSS) and CPU of the idle process tree, ten seconds after its start. */
export async function footprint(stage: BenchStage): Promise<readonly string[]> {
  const env = { BENCH_OUT: '/dev/null' };
  await using operator = startOperator(stage, { hooksDir: join(import.meta.dirname, 'hooks'), env });
  await operator.said('hook enabled');
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const tree = treeOf(operator.pid);
  const before = cpuTicks(tree);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const percent = ((cpuTicks(tree) - before) * 10) / SETTLE_MS;
  const pss = tree.map(pssKib).reduce((sum, kib) => sum + kib, 0) / 1024;
  return [`${pss.toFixed(0)} MiB in ${tree.length} processes, ${(percent * 100).toFixed(2)} % of a core`];
}

function treeOf(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(treeOf)];
}

function pssKib(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
}

/** User and system time, in hundredths of a second. */
function cpuTicks(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}
