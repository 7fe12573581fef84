import { join } from 'node:path';
import { startBare } from '../bare/client.ts';
import { median, nowMs, sleep } from '../figures.ts';
import { clear } from '../clear.ts';
import { openLineFile, type LineFile } from '../line-file.ts';
import { startOperator } from '../operator.ts';
import type { Json } from '../soak/api.ts';
import { bindingOf, writeWarmHook } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';
import type { Chart, Point } from './chart.ts';

const RATES = [5, 20, 50, 100, 200, 400, 800];
const SECONDS = 3;
const LEAST = 40;
const MOST_UNANSWERED = 64;
const SATURATED_SHARE = 0.8;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Latency against events per second: the median time from the POST to the begin of the run that gets the event. */
export async function plot(stage: BenchStage): Promise<readonly Chart[]> {
  const shell = await curve(stage, 'shell', async (ends, out) => {
    const hooksDir = stageFolder(stage, 'hooks-shell');
    writeShellHook(join(hooksDir, 'events.sh'), { kubernetes: [bindingOf('shell')] }, COUNT);
    const operator = ends.use(await startOperator(stage, { hooksDir, env: { BENCH_OUT: out.path } }));
    await operator.synchronized();
  });
  const warm = await curve(stage, 'warm', async (ends, out) => {
    const hooksDir = stageFolder(stage, 'hooks-warm');
    writeWarmHook(hooksDir, 'warm');
    const operator = ends.use(await startOperator(stage, { hooksDir, env: { BENCH_OUT: out.path } }));
    await operator.synchronized();
  });
  const bare = await curve(stage, 'bare', async (ends, out) => {
    const hook = join(stageFolder(stage, 'hooks-bare'), 'event.sh');
    writeShellHook(hook, {}, 'echo "$began 1" >> "$BENCH_OUT"');
    const env = { BARE_PATH: '/api/v1/configmaps?labelSelector=bench%3Dbare', BARE_HOOK: hook, BENCH_OUT: out.path };
    ends.use(await startBare(stage, 'watch-spawn', env));
  });
  const chart: Chart = {
    name: 'latency',
    title: 'Latency against events a second, one queue',
    x: { label: 'events', unit: '1/s' },
    y: { label: 'POST to the beginning of the run, median', unit: 'ms' },
    series: [
      { name: 'shell hook', role: 'hooklet', points: shell },
      { name: 'TypeScript hook', role: 'variant', points: warm },
      { name: 'bare watch and spawn', role: 'limit', points: bare },
    ],
  };
  return [chart];
}

type Start = (ends: AsyncDisposableStack, out: LineFile) => Promise<void>;

async function curve(stage: BenchStage, label: string, start: Start): Promise<readonly Point[]> {
  await using ends = new AsyncDisposableStack();
  const out = ends.use(openLineFile(join(stage.folder, `${label}.out`)));
  await start(ends, out);
  const points: Point[] = [];
  let seen = 0;
  for (const rate of RATES) {
    const { postedMs, rate: reached } = await post(stage, label, rate);
    const end = seen + postedMs.length;
    const lines = await out.until((all) => beginningsMs(all).length >= end);
    const beganMs = beginningsMs(lines)
      .slice(seen, end)
      .toSorted((a, b) => a - b);
    seen = beginningsMs(lines).length;
    points.push({ x: reached, y: median(beganMs.map((atMs, index) => atMs - (postedMs[index] ?? atMs))) });
    // The API server accepts no more: a higher rate would give the same point again.
    if (reached < rate * SATURATED_SHARE) break;
    await clear(stage, `${CONFIG_MAPS}?labelSelector=bench%3D${label}`);
    await sleep(500);
  }
  return points;
}

interface Posting {
  readonly postedMs: readonly number[];
  /** Events per second that the API server accepted. */
  readonly rate: number;
}

/** Posts at a steady rate without waiting for answers, as long as the API server is not far behind. */
async function post({ api }: BenchStage, label: string, rate: number): Promise<Posting> {
  const count = Math.max(LEAST, Math.round(rate * SECONDS));
  const beganMs = nowMs();
  const dueMs = (index: number): number => beganMs + (index * 1000) / rate;
  const postedMs: number[] = [];
  let unanswered = 0;
  const problems: unknown[] = [];
  while (postedMs.length < count) {
    while (postedMs.length < count && unanswered < MOST_UNANSWERED && nowMs() >= dueMs(postedMs.length)) {
      const metadata = { name: `${label}-${rate}-${postedMs.length}`, labels: { bench: label } };
      postedMs.push(nowMs());
      unanswered++;
      void create(api, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
        .catch((error: unknown) => problems.push(error))
        .finally(() => unanswered--);
    }
    await sleep(1);
  }
  while (unanswered > 0) await sleep(1);
  if (problems.length > 0) throw problems[0];
  // If the API server is slower than the requested rate, the actual rate counts.
  const tookMs = Math.max(nowMs() - beganMs, (count * 1000) / rate);
  return { postedMs, rate: (count * 1000) / tookMs };
}

async function create(api: BenchStage['api'], object: Json): Promise<void> {
  const { status, body } = await api.call('POST', CONFIG_MAPS, object);
  if (status !== 201) throw new Error(`an object is refused: ${JSON.stringify(body)}`);
}

/** When the run of each event began, in the order of the events. */
function beginningsMs(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line) => {
    const [began, count] = line.split(' ').map(Number);
    return Array.from({ length: count ?? 0 }, () => (began ?? 0) * 1000);
  });
}

/** When the run began, and the number of its events. */
const COUNT = `echo "$began $(grep -oE '"watchEvent": ?"Added"' "$BINDING_CONTEXT_PATH" | wc -l)" >> "$BENCH_OUT"`;
