import { join, resolve } from 'node:path';
import { type Sandbox, type SandboxOptions, startSandbox } from '@hooklet/sandbox';
import { UsageError } from '../../errors.ts';
import { discoverHooks } from '../../hook/discover.ts';
import { isFile, isFolder } from '../../lib/file-kind.ts';
import { isLocalHost } from '../../lib/local-host.ts';
import { runAll } from '../../lib/run-all.ts';
import { messageOf } from '../../lib/message-of.ts';
import { runOperator } from '../../operator/run-operator.ts';
import { openAgainst, type Against } from '../against/against.ts';
import { DEV_ENDING } from './ending.ts';
import { persistedState, stateWriter, writeRegularly } from './data.ts';
import { writeKubeconfig, type WrittenKubeconfig } from './kubeconfig.ts';
import { terminalKeys } from '../dev-keys/terminal-keys.ts';
import { fileChanges } from './file-changes.ts';
import { localWebhooks } from '../webhooks/local-webhooks.ts';
import { createManifests } from './applied-manifests.ts';
import { devOptions, type StartOptions } from '../options/options.ts';
import { sandboxCluster, sandboxFolder } from '../local-sandbox.ts';
import { localPage } from '../options/page-options.ts';
import { resolveOptions, type Flags } from '../options/resolve.ts';
import { shutdownSignal } from '../shutdown.ts';
import { openLog } from '../options/open-log.ts';
import { operatorOptions } from '../start.ts';

/**
 * `hooklet dev`: runs the hooks against an API server in memory (`src/sandbox`) until Ctrl-C; resolves to the exit
 * code. `hooksDir` is the argument of the command line, `flags` its flags, `manifestsGiven` each value of `--manifests`.
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
  flags: Flags,
  manifestsGiven: readonly string[],
): Promise<number> {
  const given = hooksDir === undefined ? flags : { ...flags, hooksDir };
  const options = resolveOptions(devOptions, given, process.env);
  const log = openLog(options, 'text');
  // Fails with a clear message if the hooks folder cannot be read.
  await discoverHooks(options.hooksDir);
  const manifestPaths = manifestPathsOf(options.hooksDir, manifestsGiven);
  const signal = shutdownSignal(() => log.info({}, 'shutting down'), ['SIGINT', 'SIGTERM', 'SIGHUP']);
  const dataFile = typeof flags['data'] === 'string' ? flags['data'] : undefined;
  const context = contextOf(flags);
  await using sandbox = await openSandbox(portOf(flags['port']), persistedState(dataFile));
  const write = dataFile === undefined ? () => {} : stateWriter(sandbox, dataFile);
  // Fails now, and not in the middle of the work, if the file cannot be written.
  write();
  using folder = sandboxFolder('hooklet-dev-', sandbox, options.keepTmpFiles && options.tmpDir === '');
  using requested = await requestedKubeconfig(flags['kubeconfig'], sandbox);
  const kubeconfig = requested?.path ?? folder.kubeconfig;
  log.info({ url: sandbox.url, kubeconfig }, 'sandbox API server started');
  await using ends = new AsyncDisposableStack();
  const { hooksDir: dir } = options;
  const reading = { sandbox, hooksDir: dir, env: process.env, log };
  const against = context === undefined ? undefined : await openAgainst({ ...reading, context }, ends, signal);
  const tmpDir = options.tmpDir === '' ? join(folder.path, 'tmp') : options.tmpDir;
  try {
    await runDev({ options: { ...options, tmpDir }, sandbox, kubeconfig, log, manifestPaths, write, against }, signal);
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

async function openSandbox(port: number, kept: Pick<SandboxOptions, 'state'>): Promise<Sandbox> {
  try {
    return await startSandbox({ port, anonymous: true, isHostAllowed: (host) => isLocalHost(host), ...kept });
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UsageError(`the API server cannot listen on port ${port}: ${reason}; choose another with --port`, {
      cause,
    });
  }
}

interface DevParts {
  readonly options: StartOptions;
  readonly sandbox: Sandbox;
  readonly kubeconfig: string;
  /** Files and folders. */
  readonly manifestPaths: readonly string[];
  readonly log: ReturnType<typeof openLog>;
  /** Writes the file of `--data`; does nothing without that flag. */
  readonly write: () => void;
  /** Copies the cluster of `--against`. */
  readonly against: Against | undefined;
}

async function runDev(
  { options, sandbox, kubeconfig, manifestPaths, log, write, against }: DevParts,
  signal: AbortSignal,
): Promise<void> {
  const manifests = createManifests(manifestPaths, sandbox, log);
  await manifests.applyAll();
  const base = operatorOptions(options, async () => sandboxCluster(sandbox), log);
  const changes = (stop: AbortSignal): AsyncIterable<void> => fileChanges(resolve(options.hooksDir), stop);
  const isHostAllowed = (host: string | undefined): boolean => isLocalHost(host, [options.listenAddress]);
  const onLoaded = (): void => log.info({ steps: nextSteps(options, manifestPaths, kubeconfig) }, 'try next');
  const keys = terminalKeys((text) => void process.stdout.write(text), sandbox);
  await runAll(
    [
      async (stop) =>
        runOperator(
          {
            ...base,
            ...DEV_ENDING,
            page: localPage(options),
            observer: keys.observer,
            onOpened: keys.onOpened,
            webhooks: localWebhooks(options),
            env: { ...process.env, KUBECONFIG: kubeconfig },
            changes,
            onLoaded,
            isHostAllowed,
          },
          stop,
        ),
      async (stop) => manifests.follow(stop),
      async (stop) => against?.follow(changes(stop)),
      async (stop) => writeRegularly(write, stop),
      async (stop) => (process.stdin.isTTY ? keys.run(process.stdin, stop) : undefined),
    ],
    signal,
  );
}

const ENDING = 'press Ctrl-C to end; nothing is left behind';

function nextSteps(options: StartOptions, manifestPaths: readonly string[], kubeconfig: string): readonly string[] {
  const { hooksDir, debugUnixSocket, tmpDir } = options;
  const manifests =
    manifestPaths.length === 0
      ? `put YAML files into ${join(hooksDir, 'manifests')} and start again: they are applied`
      : `edit a file in ${manifestPaths.join(' or ')}: it is applied again, and what it no longer has is deleted`;
  return [
    manifests,
    `edit a hook in ${hooksDir}: it is loaded again`,
    `KUBECONFIG=${kubeconfig} kubectl get all,configmaps -A`,
    `hooklet runs list ${debugUnixSocket === '' ? `--tmp-dir ${tmpDir}` : `--debug-unix-socket ${debugUnixSocket}`}`,
    process.stdin.isTTY ? 'press ? for the keys, q to end; nothing is left behind' : ENDING,
  ];
}

function manifestPathsOf(hooksDir: string, given: readonly string[]): readonly string[] {
  const wrong = given.filter((path) => !isFolder(path) && !isFile(path));
  if (wrong.length > 0) {
    const got = wrong.map((path) => JSON.stringify(path)).join(', ');
    throw new UsageError(`--manifests: got ${got}, expected a file or folder that exists`);
  }
  const inHooks = join(hooksDir, 'manifests');
  if (given.length > 0) return given;
  return isFolder(inHooks) ? [inHooks] : [];
}

/** What a cluster had would be stale at the next start. */
function contextOf({ against, data }: Readonly<Record<string, string | boolean | undefined>>): string | undefined {
  if (typeof against !== 'string') return undefined;
  if (data === undefined) return against;
  throw new UsageError('--against: the objects of a cluster are not kept; leave out one of --against and --data');
}

function portOf(given: string | boolean | undefined): number {
  const port = given === undefined ? 0 : Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--port: got ${JSON.stringify(given)}, expected a number from 0 to 65535`);
  }
  return port;
}
