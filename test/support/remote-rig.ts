import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { resolveWorkOptions } from '../../src/cli/options/work-options.ts';
import { work } from '../../src/cli/work/work.ts';
import { version } from '../../src/cli/program/version.ts';
import { asJsonObject, text } from '../../src/kube/object.ts';
import type { OpenedOperator, OperatorOptions } from '../../src/operator/run-operator.ts';
import { drivenCluster } from '../../src/scenario/live/driven-cluster.ts';
import { temporaryFolder } from './hook-rig.ts';
import { startOperator, until, writeHook } from './operator-rig.ts';
import { startProgram, type Program } from './program.ts';
import { recordingLogger, type LogLine } from './recording-logger.ts';

const SECRET = '/api/v1/namespaces/default/secrets/hooklet-jobs-certs';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
/** What knows workers by their tokens: each is the name of a Pod. */
const ACCOUNTS: Readonly<Record<string, string>> = { stranger: 'default' };

/** A hook for workers that does `body`. */
export function workersHook(config: object, body: string): string {
  const settings = { executor: 'workers' };
  return `#!/bin/sh
set -eu
if [ "\${1:-}" = --config ]; then
cat <<'CONFIG'
${JSON.stringify({ configVersion: 'v1', settings, ...config })}
CONFIG
exit
fi
${body}
`;
}

/** Config of a hook that follows ConfigMaps with a label. */
export const ON_MAPS = {
  kubernetes: [{ name: 'maps', kind: 'ConfigMap', labelSelector: { matchLabels: { on: 'yes' } } }],
};

/** A ConfigMap that it follows. */
export function mapNamed(name: string, value = '') {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { on: 'yes' } },
    data: { value },
  };
}

export interface RemoteRigOptions {
  readonly hooks: Readonly<Record<string, string>>;
  readonly silenceMs: number;
}

/** A sandbox, operators on it with hooks for workers, and workers that reach them by TLS. */
export async function remoteRig({ hooks, silenceMs }: RemoteRigOptions) {
  const sandbox = await sandboxForTest();
  const tmp = temporaryFolder();
  onTestFinished(() => tmp[Symbol.dispose]());
  const folder = (name: string): string => join(tmp.path, name);
  const hooksDir = folder('hooks');
  const out = folder('out');
  mkdirSync(out);
  for (const [name, script] of Object.entries(hooks)) writeHook(join(hooksDir, name), script);
  const read = (name: string): string => (existsSync(join(out, name)) ? readFileSync(join(out, name), 'utf8') : '');

  /** Starts an operator, and waits until it serves its port, which a standby does too. */
  const operator = async (options: Partial<OperatorOptions> = {}) => {
    const driven = drivenCluster({ url: sandbox.url, send: reviewing(sandbox) }, () => sandbox.token);
    let opened: OpenedOperator | undefined;
    const rig = startOperator({
      hooksDir,
      connect: async () => driven.cluster,
      env: { OUT: out, WHO: 'operator', POD_NAMESPACE: 'default' },
      operator: { remote: remoteSettings(silenceMs), onOpened: (parts) => void (opened = parts), ...options },
    });
    const parts = (): OpenedOperator => {
      if (opened === undefined) throw new Error('the operator is not open');
      return opened;
    };
    onTestFinished(async () => {
      await Promise.allSettled([rig[Symbol.asyncDispose]()]);
    });
    await until(() => void portOf(parts()));
    return {
      ...rig,
      url: `https://localhost:${portOf(parts())}`,
      status: () => parts().operator.view.status(),
      /** From now on nothing reaches the API server, as where the network of a node is gone. */
      cut: () => driven.shut(),
    };
  };

  /** What a worker is started with; its hooks are a copy of those of the operator at that time. */
  const flagsOf = async (name: string, urls: readonly string[], capacity: number) => {
    const own = folder(`hooks-of-${name}`);
    cpSync(hooksDir, own, { recursive: true });
    const [tokenFile, caFile] = [folder(`token-of-${name}`), folder('ca.crt')];
    writeFileSync(tokenFile, name);
    writeFileSync(caFile, await authorityIn(sandbox));
    const common = { operator: urls.join(','), tokenFile, caFile, capacity: String(capacity) };
    return { ...common, hooksDir: own, tmpDir: folder(`tmp-of-${name}`), listenAddress: '127.0.0.1', listenPort: '0' };
  };
  const envOf = (name: string) => ({ OUT: out, WHO: name });

  return {
    sandbox,
    out,
    hooksDir,
    operator,
    read,
    /** The lines of a file that hooks write to. */
    lines: (name: string): readonly string[] =>
      read(name)
        .split('\n')
        .filter((line) => line !== ''),
    /** A worker in this process, which is ended at the end of the test. */
    worker: async (name: string, urls: readonly string[], capacity = 1) => {
      const log = recordingLogger();
      const stop = new AbortController();
      const options = resolveWorkOptions(await flagsOf(name, urls, capacity), {});
      const env = { ...process.env, ...envOf(name) };
      const ended = work(options, { env, log, stop: stop.signal, times: { retry: { initialMs: 20, maxMs: 200 } } });
      ended.catch(() => {});
      const leave = async (): Promise<void> => {
        stop.abort();
        await ended;
      };
      onTestFinished(leave);
      return { log, leave, lines: log.lines as readonly LogLine[] };
    },
    /** A worker that is a process of its own. */
    workerProcess: async (name: string, urls: readonly string[]): Promise<Program> => {
      const flags = Object.entries(await flagsOf(name, urls, 1)).flatMap(([key, value]) => [
        `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
        value,
      ]);
      return startProgram(['work', ...flags], { env: envOf(name) });
    },
    object: async (path: string) => asJsonObject((await sandbox.call('GET', path)).body),
  };
}

function portOf({ remote }: OpenedOperator): number {
  if (remote?.port === undefined) throw new Error('the port is not open');
  return remote.port;
}

/** Of an operator whose port is any. */
export function remoteSettings(silenceMs: number): NonNullable<OperatorOptions['remote']> {
  return {
    listenPort: 0,
    listenAddress: '127.0.0.1',
    serviceName: 'hooklet-jobs',
    urls: ['https://localhost:1'],
    authorityMs: 365 * 86_400_000,
    leafMs: 90 * 86_400_000,
    image: 'hooklet:test',
    maxAtOnce: 10,
    maxPerSecond: 10,
    workers: { accounts: [{ name: 'hooklet-workers' }], silenceMs, version },
  };
}

/** The sandbox has one token for all, so that of a Pod is reviewed here. */
function reviewing(sandbox: Sandbox): Sandbox['send'] {
  return async (request, signal) => {
    if (request.method !== 'POST' || !request.path.startsWith(REVIEWS)) return sandbox.send(request, signal);
    const review = asJsonObject(JSON.parse(Buffer.from(request.body ?? '').toString('utf8')));
    const pod = text(asJsonObject(review['spec'])['token']);
    const extra = {
      'authentication.kubernetes.io/pod-name': [pod],
      'authentication.kubernetes.io/pod-uid': [`uid-of-${pod}`],
    };
    const username = `system:serviceaccount:default:${ACCOUNTS[pod] ?? 'hooklet-workers'}`;
    const status = { authenticated: true, audiences: ['hooklet'], user: { username, groups: [], extra } };
    const body = Readable.from([Buffer.from(JSON.stringify({ ...review, status }))]);
    return { status: 201, headers: { 'content-type': 'application/json' }, body, cancel: () => void body.destroy() };
  };
}

async function authorityIn(sandbox: Sandbox): Promise<string> {
  const { body } = await sandbox.call('GET', SECRET);
  return Buffer.from(text(asJsonObject(asJsonObject(body)['data'])['ca.crt']), 'base64').toString('utf8');
}
