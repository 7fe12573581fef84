import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { quantile, until } from './figures.ts';
import { startOperator } from './operator.ts';
import type { BenchStage } from './stage.ts';

const EVENTS = 150;
const HOOKS = join(import.meta.dirname, 'hooks');

/** From before the POST to the start of a bash hook: hooklet, and a bare watch that spawns it, in turn. */
export async function eventLatency(stage: BenchStage): Promise<readonly string[]> {
  const [hookletOut, bareOut] = [join(stage.folder, 'hooklet.out'), join(stage.folder, 'bare.out')];
  for (const path of [hookletOut, bareOut]) writeFileSync(path, '');
  await using operator = startOperator(stage, { hooksDir: HOOKS, env: { BENCH_OUT: hookletOut } });
  await operator.said('hook enabled');
  const bare = await startBareClient(stage, bareOut);
  const times: Record<'hooklet' | 'bare', number[]> = { hooklet: [], bare: [] };
  try {
    for (let index = 0; index < EVENTS; index++) {
      times.hooklet.push(await once(stage, { label: 'hooklet', index, out: hookletOut }));
      times.bare.push(await once(stage, { label: 'bare', index, out: bareOut }));
    }
  } finally {
    bare.end();
  }
  return [0.5, 0.99].map((share) => {
    const [ours, limit] = [quantile(times.hooklet, share), quantile(times.bare, share)];
    const name = `p${share * 100}`;
    return `${name}: hooklet ${ours.toFixed(1)} ms, bare client ${limit.toFixed(1)} ms, ratio ${(ours / limit).toFixed(2)}`;
  });
}

interface OneEvent {
  readonly label: string;
  readonly index: number;
  readonly out: string;
}

/** Causes one event and resolves to the milliseconds until the hook began. */
async function once(stage: BenchStage, { label, index, out }: OneEvent): Promise<number> {
  const metadata = { name: `${label}-${index}`, namespace: 'default', labels: { bench: label } };
  const postedAtMs = performance.timeOrigin + performance.now();
  await stage.api.call('POST', '/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
  });
  const began = await until(() => readFileSync(out, 'utf8').split('\n').slice(0, -1)[index]);
  // Idle is what is asked about: what the event set off has to end.
  await new Promise((resolve) => setTimeout(resolve, 20));
  return Number(began) * 1000 - postedAtMs;
}

/** The least a client can do: one watch, and a spawn for each object. */
async function startBareClient({ url, ca, token }: BenchStage, out: string): Promise<{ end(): void }> {
  const path = '/api/v1/configmaps?watch=1&labelSelector=bench%3Dbare&allowWatchBookmarks=true';
  const watch = request(`${url}${path}`, { ca, headers: { authorization: `Bearer ${token}` } });
  watch.end();
  const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    watch.once('response', resolve).once('error', reject);
  });
  watch.on('error', () => {});
  const env = { ...process.env, BENCH_OUT: out };
  const lines = createInterface(response);
  // The end of the watch, which is broken off.
  lines.on('error', () => {});
  lines.on('line', (line) => {
    const { type }: { readonly type: string } = JSON.parse(line);
    if (type === 'ADDED') spawn(join(HOOKS, 'event.sh'), ['run'], { env, stdio: 'ignore' });
  });
  return { end: () => watch.destroy() };
}
