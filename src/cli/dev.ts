import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Sandbox, type SandboxOptions, startSandbox } from '@hooklet/sandbox';
import { UsageError } from '../errors.ts';
import { discoverHooks } from '../hook/discover.ts';
import { createCluster, type Cluster } from '../kube/credentials/cluster.ts';
import { isLocalHost } from '../lib/local-host.ts';
import { runAll } from '../lib/run-all.ts';
import { runOperator } from '../operator/run-operator.ts';
import { keptState, stateWriter, writeRegularly } from './dev-data.ts';
import { writeKubeconfig, type WrittenKubeconfig } from './dev-kubeconfig.ts';
import { fileChanges } from './file-changes.ts';
import { createManifests } from './manifests.ts';
import { devOptions, resolveOptions, type StartOptions } from './options.ts';
import { shutdownSignal } from './shutdown.ts';
import { openLog, operatorOptions } from './start.ts';

// Ctrl-C is to be over within 2 s, on a busy machine too: a hook that runs then gets this long, and as long again to end.
const GRACE_MS = 300;

/** `hooklet dev`: runs hooks against an API server in memory until Ctrl-C; resolves to the exit code. */
export async function dev(
  hooksDir: string | undefined,
  flags: Readonly<Record<string, string | boolean | undefined>>,
): Promise<number> {
  const given = hooksDir === undefined ? flags : { ...flags, hooksDir };
  const options = resolveOptions(devOptions, given, process.env);
  const log = openLog(options, 'text');
  // Says what is wrong with the folder before anything looks into it.
  await discoverHooks(options.hooksDir);
  const manifestsDir = manifestsDirOf(options.hooksDir, flags['manifests']);
  const signal = shutdownSignal(() => log.info({}, 'shutting down'), ['SIGINT', 'SIGTERM', 'SIGHUP']);
  const dataFile = typeof flags['data'] === 'string' ? flags['data'] : undefined;
  await using sandbox = await openSandbox(portOf(flags['port']), keptState(dataFile));
  const write = dataFile === undefined ? () => {} : stateWriter(sandbox, dataFile);
  // A file that cannot be written is told now, and not in the middle of the work.
  write();
  using folder = createFolder(options);
  const own = join(folder.path, 'kubeconfig');
  writeFileSync(own, sandbox.kubeconfig(), { mode: 0o600 });
  using asked = await askedKubeconfig(flags['kubeconfig'], sandbox);
  const kubeconfig = asked?.path ?? own;
  log.info({ url: sandbox.url, kubeconfig }, 'sandbox API server started');
  const tmpDir = options.tmpDir === '' ? join(folder.path, 'tmp') : options.tmpDir;
  try {
    await runDev({ options: { ...options, tmpDir }, sandbox, kubeconfig, log, manifestsDir, write }, signal);
  } finally {
    write();
  }
  return 0;
}

async function askedKubeconfig(
  given: string | boolean | undefined,
  sandbox: Sandbox,
): Promise<WrittenKubeconfig | undefined> {
  return typeof given === 'string' ? writeKubeconfig(given, sandbox.kubeconfig()) : undefined;
}

/** The folder of this session, removed at its end, also when a second Ctrl-C cuts it short. */
function createFolder({ keepTmpFiles, tmpDir }: StartOptions): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'hooklet-dev-'));
  const remove = (): void => {
    process.off('exit', remove);
    if (!keepTmpFiles || tmpDir !== '') rmSync(path, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { path, [Symbol.dispose]: remove };
}

async function openSandbox(port: number, kept: Pick<SandboxOptions, 'state'>): Promise<Sandbox> {
  try {
    return await startSandbox({ port, anonymous: true, isHostAllowed: (host) => isLocalHost(host), ...kept });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`the API server cannot listen on port ${port}: ${reason}; choose another with --port`, {
      cause,
    });
  }
}

interface DevParts {
  readonly options: StartOptions;
  readonly sandbox: Sandbox;
  readonly kubeconfig: string;
  readonly manifestsDir: string | undefined;
  readonly log: ReturnType<typeof openLog>;
  /** Keeps what the sandbox holds, where that was asked for. */
  readonly write: () => void;
}

async function runDev(
  { options, sandbox, kubeconfig, manifestsDir, log, write }: DevParts,
  signal: AbortSignal,
): Promise<void> {
  const manifests = manifestsDir === undefined ? undefined : createManifests(manifestsDir, sandbox, log);
  await manifests?.applyAll();
  const base = operatorOptions({ ...options, gracePeriodMs: GRACE_MS }, async () => clusterOf(sandbox), log);
  const changes = (stop: AbortSignal): AsyncIterable<void> => fileChanges(resolve(options.hooksDir), stop);
  const isHostAllowed = (host: string | undefined): boolean => isLocalHost(host, [options.listenAddress]);
  const onLoaded = (): void => log.info({ steps: nextSteps(options.hooksDir, manifestsDir, kubeconfig) }, 'try next');
  await runAll(
    [
      async (stop) =>
        runOperator(
          {
            ...base,
            killAfterMs: GRACE_MS,
            env: { ...process.env, KUBECONFIG: kubeconfig },
            changes,
            onLoaded,
            isHostAllowed,
          },
          stop,
        ),
      async (stop) => manifests?.follow(stop),
      async (stop) => writeRegularly(write, stop),
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
    if (!isFolder(given))
      throw new UsageError(`--manifests: got ${JSON.stringify(given)}, expected a folder that exists`);
    return given;
  }
  const inHooks = join(hooksDir, 'manifests');
  return isFolder(inHooks) ? inHooks : undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function portOf(given: string | boolean | undefined): number {
  const port = given === undefined ? 0 : Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--port: got ${JSON.stringify(given)}, expected a number from 0 to 65535`);
  }
  return port;
}
