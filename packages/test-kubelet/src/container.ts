import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { killInside } from './container-processes.ts';
import { script, type KubeNode } from './node.ts';
import { makePipes, openOutputPipe } from './output-pipe.ts';
import { credentialWords, type ContainerUser } from './container-user.ts';

/** A folder or file of the node that a container sees. */
export interface Mount {
  /** As the processes of the node see it. */
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** All that a container is started with. */
export interface ContainerSpec {
  readonly node: KubeNode;
  /** The process that holds the namespaces of its pod. */
  readonly sandboxPid: number;
  /** A new folder for it, relative to the node's. */
  readonly folder: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly mounts: readonly Mount[];
  readonly user: ContainerUser;
  readonly readOnlyRoot: boolean;
  /** Told what it prints. */
  readonly onOutput: (chunk: Uint8Array) => void;
}

/** How a container ended. */
export interface Ended {
  /** As the shell says it: 128 and the signal's number for a signal. */
  readonly exitCode: number;
  /** It was itself at least for a moment; else what it printed is why it could not be. */
  readonly wasStarted: boolean;
}

export interface ExecOptions {
  readonly stdin?: string;
  /** After which it is killed. */
  readonly timeoutSeconds?: number;
}

/** What a command in a container came to. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A container that was started. */
export interface Container {
  /** Its first process, by its id on this machine. */
  readonly pid: number;
  readonly ended: Promise<Ended>;
  exec(command: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Signals its first process, or those whose command line matches; returns how many it were. */
  signal(signal: NodeJS.Signals, process?: RegExp): Promise<number>;
}

/** Starts a container; what it needs of processes and mounts ends with it. */
export async function startContainer(spec: ContainerSpec): Promise<Container> {
  const { node, sandboxPid, folder, user } = spec;
  const hostFolder = join(node.hostFolder, folder);
  await prepareFolder(hostFolder);
  await makePipes(join(hostFolder, 'output'));
  const pipe = openOutputPipe(join(hostFolder, 'output'), user.uid);
  const inside = [...credentialWords(user), ...envWords(spec)];
  const child = spawn(
    'setpriv',
    [
      ...enterWords(sandboxPid),
      '--',
      ...UNSHARE,
      script('container.sh'),
      join(node.folder, folder),
      spec.readOnlyRoot ? 'ro' : 'rw',
      spec.workingDir,
      ...spec.mounts.flatMap(mountWords),
      '--',
      ...inside,
      ...spec.command,
    ],
    { stdio: ['ignore', pipe.fd, pipe.fd] },
  );
  const exited = once(child, 'exit');
  pipe.handedOver();
  const printed = forward(pipe.output, spec.onOutput);
  let isOver = false;
  const ended = exited.then(async () => {
    isOver = true;
    await printed;
    const wasStarted = existsSync(join(hostFolder, 'pid'));
    await rm(hostFolder, { recursive: true, force: true });
    return { exitCode: exitCodeOf(child), wasStarted };
  });
  const pid = await firstProcess(hostFolder, child);
  return {
    pid,
    ended,
    exec: (command, options = {}) => exec({ node, pid, inside, uid: user.uid }, command, options),
    // Its id may be that of another process by then.
    signal: async (signal, process) => (isOver ? 0 : killInside(pid, signal, process)),
  };
}

/**
 * Becomes the parent of the first process of the namespaces, and ends as that does. `unshare --fork` of util-linux 2.38
 * does not when it is a signal. What the shell says about that does not belong into the log.
 */
const AWAIT = 'exec 3>&2 2> /dev/null; "$@" 2>&3 3>&-; exit $?';

const UNSHARE = ['unshare', '--mount', '--pid', '--propagation', 'private', '--', 'sh', '-c', AWAIT, 'sh'];

/** Into the namespaces of a process, to end with this one. */
function enterWords(pid: number): readonly string[] {
  return ['--pdeathsig', 'KILL', '--', 'nsenter', `--target=${pid}`, '--mount', '--net', '--uts', '--ipc', '--pid'];
}

/** What every container finds in its root file system, whatever its image. */
async function prepareFolder(hostFolder: string): Promise<void> {
  await mkdir(join(hostFolder, 'upper/etc/.pod'), { recursive: true });
  await mkdir(join(hostFolder, 'work'));
  await mkdir(join(hostFolder, 'root'));
  const etc = join(hostFolder, 'upper/etc');
  // Links, so that the files can be replaced at once while they are read.
  for (const name of ['hosts', 'hostname']) await symlink(`.pod/${name}`, join(etc, name));
  // There are no names but those in the hosts file; nobody shall wait for a server that is not there.
  await writeFile(join(etc, 'resolv.conf'), '');
  await writeFile(
    join(etc, 'nsswitch.conf'),
    'passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\n',
  );
}

function envWords({ env, workingDir }: ContainerSpec): readonly string[] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['env', '-i', '-C', workingDir, ...variables];
}

function mountWords({ source, target, readOnly }: Mount): readonly string[] {
  return ['--mount', source, target, readOnly ? 'ro' : 'rw'];
}

async function forward(output: AsyncIterable<Uint8Array>, onOutput: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of output) onOutput(chunk);
}

const POLL_MS = 5;

/** Waits until the container is itself; one that cannot start has printed why. */
async function firstProcess(hostFolder: string, child: ChildProcess): Promise<number> {
  const path = join(hostFolder, 'pid');
  while (child.exitCode === null && child.signalCode === null) {
    if (existsSync(path)) return Number(await readFile(path, 'utf8').catch(() => '0'));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return 0;
}

function exitCodeOf(child: ChildProcess): number {
  const signal = child.signalCode === null ? undefined : constants.signals[child.signalCode];
  if (signal !== undefined) return 128 + signal;
  return child.exitCode ?? 255;
}

let executions = 0;

interface Inside {
  readonly node: KubeNode;
  readonly pid: number;
  readonly inside: readonly string[];
  readonly uid: number;
}

async function exec(container: Inside, command: readonly string[], options: ExecOptions): Promise<ExecResult> {
  const { node, pid, inside, uid } = container;
  const { stdin, timeoutSeconds } = options;
  const path = join(node.hostFolder, `exec-${executions++}`);
  await makePipes(`${path}-1`, `${path}-2`);
  // A file, as some shells take a socket, which Node would make, for a remote login.
  await writeFile(`${path}-0`, stdin ?? '');
  const input = openSync(`${path}-0`, 'r');
  await rm(`${path}-0`);
  const out = openOutputPipe(`${path}-1`, uid);
  const err = openOutputPipe(`${path}-2`, uid);
  const limit = timeoutSeconds === undefined ? [] : ['timeout', '--signal=KILL', String(timeoutSeconds)];
  const child = spawn('setpriv', [...enterWords(pid), '--root', '--wd=/', '--', ...inside, ...limit, ...command], {
    stdio: [input, out.fd, err.fd],
  });
  const exited = once(child, 'exit');
  closeSync(input);
  out.handedOver();
  err.handedOver();
  const [stdout, stderr] = await Promise.all([text(out.output), text(err.output), exited]);
  return { exitCode: exitCodeOf(child), stdout, stderr };
}
