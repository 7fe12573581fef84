import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { createCluster, type Cluster } from '../kube/cluster.ts';
import { runAll } from '../lib/run-all.ts';
import { runOperator } from '../operator/operator.ts';
import { startSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { fileChanges } from './file-changes.ts';
import { createManifests } from './manifests.ts';
import { resolveOptions, startOptions, type StartOptions } from './options.ts';
import { shutdownSignal } from './shutdown.ts';
import { openLog, operatorOptions } from './start.ts';

// Ctrl-C is to be over within a second: a hook that runs then gets this long.
const GRACE_MS = 300;

/** `hooklet dev`: runs hooks against an API server in memory until Ctrl-C; resolves to the exit code. */
export async function dev(
  hooksDir: string | undefined,
  flags: Readonly<Record<string, string | boolean | undefined>>,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-dev-'));
  try {
    const defaults = { listenPort: '0', listenAddress: '127.0.0.1', tmpDir: join(folder, 'tmp'), ...flags };
    const options = resolveOptions(
      startOptions,
      hooksDir === undefined ? defaults : { ...defaults, hooksDir },
      process.env,
    );
    const log = openLog(options, 'text');
    const signal = shutdownSignal(() => log.info({}, 'shutting down'));
    await using sandbox = await startSandbox({ port: portOf(flags['port']) });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, sandbox.kubeconfig(), { mode: 0o600 });
    log.info({ url: sandbox.url, kubeconfig }, 'sandbox API server started');
    await runDev(
      { options, sandbox, kubeconfig, log, manifestsDir: manifestsDirOf(options.hooksDir, flags['manifests']) },
      signal,
    );
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface DevParts {
  readonly options: StartOptions;
  readonly sandbox: Sandbox;
  readonly kubeconfig: string;
  readonly manifestsDir: string | undefined;
  readonly log: ReturnType<typeof openLog>;
}

async function runDev(
  { options, sandbox, kubeconfig, manifestsDir, log }: DevParts,
  signal: AbortSignal,
): Promise<void> {
  const manifests = manifestsDir === undefined ? undefined : createManifests(manifestsDir, sandbox, log);
  await manifests?.applyAll();
  const base = operatorOptions({ ...options, gracePeriodMs: GRACE_MS }, async () => clusterOf(sandbox), log);
  const changes = (stop: AbortSignal): AsyncIterable<void> => fileChanges(resolve(options.hooksDir), stop);
  const onLoaded = (): void => log.info({ steps: nextSteps(options.hooksDir, manifestsDir, kubeconfig) }, 'try next');
  await runAll(
    [
      async (stop) =>
        runOperator({ ...base, env: { ...process.env, KUBECONFIG: kubeconfig }, changes, onLoaded }, stop),
      async (stop) => manifests?.follow(stop),
    ],
    signal,
  );
}

function nextSteps(hooksDir: string, manifestsDir: string | undefined, kubeconfig: string): readonly string[] {
  const manifests =
    manifestsDir === undefined
      ? `put YAML files into ${join(hooksDir, 'manifests')} and start again: they are applied`
      : `edit a file in ${manifestsDir}: it is applied again, and what it no longer has is deleted`;
  return [
    manifests,
    `edit a hook in ${hooksDir}: it is loaded again`,
    `KUBECONFIG=${kubeconfig} kubectl get all,configmaps -A`,
    'Ctrl-C ends it, and nothing is left behind',
  ];
}

function clusterOf({ url, token }: Sandbox): Cluster {
  const headers = { authorization: `Bearer ${token}` };
  return createCluster({ name: 'sandbox', server: new URL(url) }, [
    { read: async () => ({ headers }), invalidate: () => {} },
  ]);
}

function manifestsDirOf(hooksDir: string, given: string | boolean | undefined): string | undefined {
  if (typeof given === 'string') {
    if (!existsSync(given))
      throw new UsageError(`--manifests: got ${JSON.stringify(given)}, expected a folder that exists`);
    return given;
  }
  const inHooks = join(hooksDir, 'manifests');
  return existsSync(inHooks) ? inHooks : undefined;
}

function portOf(given: string | boolean | undefined): number {
  const port = given === undefined ? 0 : Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--port: got ${JSON.stringify(given)}, expected a number from 0 to 65535`);
  }
  return port;
}
