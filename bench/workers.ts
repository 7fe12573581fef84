import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../test/cluster/free-ports.ts';
import { endChild, endWithThis } from './child.ts';
import { until } from './figures.ts';
import { startOperator, type OperatorOptions, type RunningOperator } from './operator.ts';
import { podToken } from './pod-token.ts';
import { asJson } from './soak/api.ts';
import type { BenchStage } from './stage.ts';

const ACCOUNT = 'hooklet-workers';
const PODS = '/api/v1/namespaces/default/pods';

/** An operator, and the workers that execute its runs, as processes of this machine. */
export interface WorkerStage {
  readonly operator: RunningOperator;
  /** The workers that were started. */
  readonly workers: readonly ChildProcess[];
}

/** Starts an operator whose hooks have `executor: workers`, and that many workers; all end with `ends`. */
export async function startWorkers(
  stage: BenchStage,
  { count, capacity, ...options }: OperatorOptions & { readonly count: number; readonly capacity: number },
  ends: AsyncDisposableStack,
): Promise<WorkerStage> {
  const [port = 0, ...healthPorts] = await freePorts(count + 1);
  const url = `https://127.0.0.1:${port}`;
  const { hooksDir, env = {} } = options;
  const listen = { HOOKLET_JOBS_LISTEN_ADDRESS: '127.0.0.1', HOOKLET_JOBS_LISTEN_PORT: String(port) };
  const operator = ends.use(
    await startOperator(stage, {
      ...options,
      env: { ...env, ...listen, POD_NAMESPACE: 'default' },
      flags: ['--jobs-url', url, '--workers-silence', '5s'],
    }),
  );
  await operator.synchronized();
  const caFile = await authorityFile(stage);
  const workers = await Promise.all(
    healthPorts.map(async (health, index) => {
      const tmpDir = join(stage.folder, `worker-${port}-${index}`);
      mkdirSync(tmpDir);
      const tokenFile = join(tmpDir, 'token');
      writeFileSync(tokenFile, await workerToken(stage, `worker-${port}-${index}`));
      const [program = '', ...args] = stage.hooklet.command;
      const flags = ['--operator', url, '--ca-file', caFile, '--token-file', tokenFile, '--tmp-dir', tmpDir];
      const own = ['--capacity', String(capacity), '--listen-port', String(health), '--listen-address', '127.0.0.1'];
      const child = spawn(program, [...args, 'work', ...flags, ...own, '--hooks-dir', hooksDir], {
        env: { ...process.env, ...stage.hooklet.env, ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      endWithThis(child);
      ends.defer(async () => endChild(child, 'SIGKILL'));
      return child;
    }),
  );
  const isThere = async (): Promise<true | undefined> =>
    fittingWorkers(await operator.metrics()) >= count ? true : undefined;
  await until(isThere, { everyMs: 50, timeoutMs: 60_000, what: `${count} workers did not come` });
  return { operator, workers };
}

function fittingWorkers(metrics: string): number {
  return Number(/^\w*workers\{pool="default"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}

/** The Pods of workers are objects alone, which their tokens are bound to. */
async function workerToken({ api }: BenchStage, pod: string): Promise<string> {
  await api.call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: ACCOUNT } });
  const spec = { serviceAccountName: ACCOUNT, containers: [{ name: 'hooklet', image: 'bench' }] };
  const { body } = await api.call('POST', PODS, { metadata: { name: pod }, spec });
  return podToken(api, { account: ACCOUNT, pod, uid: String(asJson(body['metadata'])['uid']) });
}

/** Who signs the certificate of the operator, which makes it itself. */
async function authorityFile({ api, folder }: BenchStage): Promise<string> {
  const path = join(folder, 'workers-ca.crt');
  const ca = await until(
    async () => {
      const { body } = await api.call('GET', '/api/v1/namespaces/default/secrets/hooklet-jobs-certs');
      const text = asJson(body['data'])['ca.crt'];
      return typeof text === 'string' ? text : undefined;
    },
    { everyMs: 50, what: 'there is no certificate' },
  );
  writeFileSync(path, Buffer.from(ca, 'base64'));
  return path;
}
