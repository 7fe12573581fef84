import { cpSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePorts } from '../../test/cluster/free-ports.ts';
import { nowMs, quantile, sleep, until } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { startOperator } from '../operator.ts';
import { isAllowed, JUDGE_PATH, reviewText } from '../reviews.ts';
import type { Measure } from '../row.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const ROUNDS = 2;
const SHORT_LIFE = '24s';
const LONG_LIFE = '1h';
const MEASURED_MS = 50_000;
/** Between two requests; of so many, one opens a connection. */
const EVERY_MS = 10;
const NEW_CONNECTION = 5;
const SETTLED_MS = 5000;
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/bench-hooks';

interface Load {
  readonly kept: readonly number[];
  readonly fresh: readonly number[];
  readonly failed: number;
  readonly rotations: number;
}

/**
 * Two replicas with a warm hook answer about 100 requests a second in turn, a fifth of them on new connections, while
 * their certificate authority and certificate are replaced every 18 s; callers trust the registered bundle. The limit is the
 * same with certificates that live long.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const hooksDir = stageFolder(stage, 'hooks');
  cpSync(join(import.meta.dirname, '..', 'warm-hooks', 'judge.ts'), join(hooksDir, 'judge.ts'));
  const loads = await interleaved<'hooklet' | 'limit', Load>(ROUNDS, {
    hooklet: async () => loaded(stage, hooksDir, SHORT_LIFE),
    limit: async () => loaded(stage, hooksDir, LONG_LIFE),
  });
  const figure = (name: string, share: number, of: 'kept' | 'fresh'): Measure => {
    const value = (rounds: readonly Load[]): number =>
      quantile(
        rounds.flatMap((round) => round[of]),
        share,
      );
    return { name, unit: 'ms', hooklet: value(loads.hooklet), limit: value(loads.limit) };
  };
  const sum = (of: 'failed' | 'rotations'): number => loads.hooklet.reduce((total, round) => total + round[of], 0);
  return [
    { name: 'failed', unit: 'requests', hooklet: sum('failed'), goal: { type: 'value', most: 0 } },
    { name: 'new authorities registered', unit: 'rotations', hooklet: sum('rotations') },
    figure('p50, kept connection', 0.5, 'kept'),
    figure('p99, kept connection', 0.99, 'kept'),
    figure('p50, new connection', 0.5, 'fresh'),
    figure('p99, new connection', 0.99, 'fresh'),
  ];
}

async function loaded(stage: BenchStage, hooksDir: string, life: string): Promise<Load> {
  for (const path of [CONFIGURATION, '/api/v1/namespaces/default/secrets/bench-webhook-certs']) {
    await stage.api.call('DELETE', path);
  }
  const ports = await freePorts(2);
  const start = async (port: number) => {
    const url = ['--webhook-url', 'https://127.0.0.1:443', '--webhook-certificates', 'self'];
    const lives = ['--webhook-ca-lifetime', life, '--webhook-certificate-lifetime', life];
    const server = [
      '--validating-webhook-listen-port',
      String(port),
      '--validating-webhook-listen-address',
      '127.0.0.1',
    ];
    const flags = [...url, ...lives, ...server, '--validating-webhook-configuration-name', 'bench'];
    return startOperator(stage, { hooksDir, flags, env: { POD_NAMESPACE: 'default' } });
  };
  await using _first = await start(ports[0] ?? 0);
  await using _second = await start(ports[1] ?? 0);
  return await measured(stage, ports);
}

async function measured(stage: BenchStage, ports: readonly number[]): Promise<Load> {
  const bundles = followBundle(stage);
  try {
    await until(() => (bundles.newest === '' ? undefined : true), { everyMs: 50, what: 'no webhook was registered' });
    await sleep(SETTLED_MS);
    const known = bundles.seen.size;
    const load = await askSteadily(ports, () => bundles.newest);
    return { ...load, rotations: bundles.seen.size - known };
  } finally {
    await bundles.end();
  }
}

async function askSteadily(ports: readonly number[], bundle: () => string): Promise<Omit<Load, 'rotations'>> {
  const agents = { kept: new Agent({ keepAlive: true }), fresh: new Agent({ keepAlive: false, maxCachedSessions: 0 }) };
  const load = { kept: [] as number[], fresh: [] as number[], failed: 0 };
  const asked: Promise<void>[] = [];
  const endMs = nowMs() + MEASURED_MS;
  for (let index = 0; nowMs() < endMs; index++) {
    const kind = index % NEW_CONNECTION === 0 ? 'fresh' : 'kept';
    const port = ports[Math.floor(index / NEW_CONNECTION) % ports.length] ?? 0;
    asked.push(
      ask({ port, agent: agents[kind], ca: bundle() }).then(
        (tookMs) => void load[kind].push(tookMs),
        () => void (load.failed += 1),
      ),
    );
    await sleep(EVERY_MS);
  }
  await Promise.all(asked);
  agents.kept.destroy();
  return load;
}

/** Follows the registered bundle, as an API server does by its watch. */
function followBundle(stage: BenchStage) {
  const state = { newest: '', seen: new Set<string>(), isOver: false };
  const following = (async () => {
    while (!state.isOver) {
      const { body } = await stage.api.call('GET', CONFIGURATION);
      const { webhooks = [] }: { readonly webhooks?: readonly Webhook[] } = body;
      const [{ clientConfig: { caBundle = '' } = {} } = {}] = webhooks;
      state.newest = Buffer.from(caBundle, 'base64').toString();
      if (caBundle !== '') state.seen.add(caBundle);
      await sleep(200);
    }
  })();
  return Object.assign(state, {
    end: async (): Promise<void> => {
      state.isOver = true;
      await following;
    },
  });
}

interface Webhook {
  readonly clientConfig?: { readonly caBundle?: string };
}

interface Target {
  readonly port: number;
  readonly agent: Agent;
  readonly ca: string;
}

async function ask({ port, agent, ca }: Target): Promise<number> {
  const beganMs = nowMs();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { 'content-type': 'application/json' };
  const path = `${JUDGE_PATH}?timeout=10s`;
  const sending = request({ host: '127.0.0.1', port, path, method: 'POST', agent, ca, headers }, (response) => {
    text(response).then(resolve, reject);
  });
  sending.on('error', reject);
  sending.end(reviewText(0));
  if (!isAllowed(await promise)) throw new Error('not allowed');
  return nowMs() - beganMs;
}
