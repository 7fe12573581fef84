import { join } from 'node:path';
import { median, nowMs } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { clear } from '../clear.ts';
import { openLineFile } from '../line-file.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { bindingOf } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage, type Contender } from '../stage.ts';

const ROUNDS = 3;
const OBJECTS = 2000;
const AT_ONCE = 16;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** From the first POST of 2,000 objects until a shell hook has seen them all; the limit is the time of posting them. */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await using ends = new AsyncDisposableStack();
  const hooklet = await startBurst(stage, stage.hooklet, ends);
  const peer = stage.peer && (await startBurst(stage, stage.peer, ends));
  const bursts = await interleaved(ROUNDS, { hooklet, peer });
  const [times, runs] = [bursts.hooklet.map(({ seenMs }) => seenMs), bursts.hooklet.map((burst) => burst.runs)];
  return [
    {
      name: 'all seen',
      unit: 'ms',
      hooklet: median(times),
      limit: median(bursts.hooklet.map(({ postedMs }) => postedMs)),
      ...(bursts.peer.length > 0 && { peer: median(bursts.peer.map(({ seenMs }) => seenMs)) }),
      goal: { type: 'ratio', most: 1.1 },
    },
    {
      name: 'runs',
      unit: 'runs',
      hooklet: median(runs),
      ...(bursts.peer.length > 0 && { peer: median(bursts.peer.map((burst) => burst.runs)) }),
    },
  ];
}

interface Burst {
  readonly postedMs: number;
  readonly seenMs: number;
  readonly runs: number;
}

async function startBurst(
  stage: BenchStage,
  contender: Contender,
  ends: AsyncDisposableStack,
): Promise<() => Promise<Burst>> {
  const label = contender.name;
  const hooksDir = stageFolder(stage, `hooks-${label}`);
  writeShellHook(join(hooksDir, 'burst.sh'), { kubernetes: [bindingOf(label)] }, COUNT);
  const out = ends.use(openLineFile(join(stage.folder, `${label}.out`)));
  const operator = ends.use(await startOperator(stage, { hooksDir, contender, env: { BENCH_OUT: out.path } }));
  await operator.synchronized();
  return async () => {
    const before = out.lines().length;
    const beganMs = nowMs();
    await post(stage, label);
    const postedMs = nowMs() - beganMs;
    const lines = await out.until((all) => countOf(all.slice(before)) >= OBJECTS);
    const seenMs = Number(lines.at(-1)?.split(' ')[1]) * 1000 - beganMs;
    await clear(stage, `${CONFIG_MAPS}?labelSelector=bench%3D${label}`);
    return { postedMs, seenMs, runs: lines.length - before };
  };
}

async function post({ api }: BenchStage, label: string): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < OBJECTS) {
      const metadata = { name: `${label}-${next++}`, labels: { bench: label } };
      const { status } = await api.call('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      if (status !== 201) throw new Error(`${metadata.name} is refused with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function countOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Number(line.split(' ')[0]), 0);
}

/** The number of objects of the run, and when they were counted. */
const COUNT = `count=$(grep -oE '"watchEvent": ?"Added"' "$BINDING_CONTEXT_PATH" | wc -l)
echo "$count $EPOCHREALTIME" >> "$BENCH_OUT"`;
