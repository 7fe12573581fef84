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
import type { WebhookSettings } from '../operator/webhooks/settings.ts';
import { persistedState, stateWriter, writeRegularly } from './dev-data.ts';
import { writeKubeconfig, type WrittenKubeconfig } from './dev-kubeconfig.ts';
import { fileChanges } from './file-changes.ts';
import { createManifests } from './manifests.ts';
import { devOptions, type StartOptions } from './options.ts';
import { resolveOptions } from './resolve-options.ts';
import { webhookSettings } from './webhook-options.ts';
import { shutdownSignal } from './shutdown.ts';
import { openLog, operatorOptions } from './start.ts';

// After Ctrl-C the process must exit within 2 s even on a busy machine: a running hook gets this long to finish, and
// after SIGTERM the same time again before SIGKILL.
const GRACE_MS = 300;

/**
 * `hooklet dev`: runs the hooks against an API server in memory (`src/sandbox`) until Ctrl-C; resolves to the exit
 * code. `hooksDir` is the argument of the command line, `flags` its flags.
 *
 * It opens, in this order, the sandbox with the data of `--data`, a temporary folder, and the file of `--kubeconfig`;
 * then the operator, the manifests and the writing of `--data` run side by side until a signal or a failure of one of
 * them. Hooks and manifests are watched and loaded again when they change.
 *
 * What must hold: mistakes in the options are found before anything is started. Nothing is left behind at the end, even
 * after a second Ctrl-C, but the file of `--data`, which is written a last time. No kubeconfig of a real cluster is
 * ever used or overwritten.
 */
export async function dev(
  hooksDir: string | undefined,
  flags: Readonly<Record<string, string | boolean | undefined>>,
): Promise<number> {
  const given = hooksDir === undefined ? flags : { ...flags, hooksDir };
  const options = resolveOptions(devOptions, given, process.env);
  const log = openLog(options, 'text');
  // Fails with a clear message if the hooks folder cannot be read.
  await discoverHooks(options.hooksDir);
  const manifestsDir = manifestsDirOf(options.hooksDir, flags['manifests']);
  const signal = shutdownSignal(() => log.info({}, 'shutting down'), ['SIGINT', 'SIGTERM', 'SIGHUP']);
  const dataFile = typeof flags['data'] === 'string' ? flags['data'] : undefined;
  await using sandbox = await openSandbox(portOf(flags['port']), persistedState(dataFile));
  const write = dataFile === undefined ? () => {} : stateWriter(sandbox, dataFile);
  // Fails now, and not in the middle of the work, if the file cannot be written.
  write();
  using folder = createFolder(options);
  const own = join(folder.path, 'kubeconfig');
  writeFileSync(own, sandbox.kubeconfig(), { mode: 0o600 });
  using requested = await requestedKubeconfig(flags['kubeconfig'], sandbox);
  const kubeconfig = requested?.path ?? own;
  log.info({ url: sandbox.url, kubeconfig }, 'sandbox API server started');
  const tmpDir = options.tmpDir === '' ? join(folder.path, 'tmp') : options.tmpDir;
  try {
    await runDev({ options: { ...options, tmpDir }, sandbox, kubeconfig, log, manifestsDir, write }, signal);
  } finally {
    write();
  }
  return 0;
}

async function requestedKubeconfig(
  given: string | boolean | undefined,
  sandbox: Sandbox,
): Promise<WrittenKubeconfig | undefined> {
  return typeof given === 'string' ? writeKubeconfig(given, sandbox.kubeconfig()) : undefined;
}

/** Creates a temporary folder that is removed when it is disposed of, and when a second Ctrl-C ends the process. */
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
  /** Writes the file of `--data`; does nothing without that flag. */
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
            webhooks: webhooksOf(options),
            webhookDrainMs: 0,
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

/** The sandbox calls webhooks on this machine, with a certificate that hooklet makes. */
function webhooksOf(options: StartOptions): WebhookSettings {
  const settings = webhookSettings(options);
  const local = { listenAddress: '127.0.0.1', listenPort: 0 };
  return {
    ...settings,
    url: 'https://127.0.0.1:0',
    certificates: { type: 'self' },
    admission: { ...settings.admission, ...local },
    conversion: { ...settings.conversion, ...local },
  };
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
    'press Ctrl-C to end; nothing is left behind',
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
