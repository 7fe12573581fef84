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
  /** The path as the processes of the node see it. */
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** Everything that is needed to start a container. */
export interface ContainerSpec {
  readonly node: KubeNode;
  /** The process that holds the namespaces of the container's pod. */
  readonly sandboxPid: number;
  /** A new folder for the container, relative to the node's folder. */
  readonly folder: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly mounts: readonly Mount[];
  readonly user: ContainerUser;
  readonly readOnlyRoot: boolean;
  /** Called with what the container prints. */
  readonly onOutput: (chunk: Uint8Array) => void;
}

/** How a container ended. */
export interface Ended {
  /** As a shell reports it: 128 plus the number of the signal, if a signal ended the container. */
  readonly exitCode: number;
  /** Whether its setup succeeded, so that its program could start; if not, its output says why. */
  readonly wasStarted: boolean;
}

/** The options of a command in a container; default no input and no time limit. */
export interface ExecOptions {
  readonly stdin?: string;
  /** The command is killed after this time. */
  readonly timeoutSeconds?: number;
}

/** The result of a command in a container. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A container that was started. */
export interface Container {
  /** The id of its first process on this machine; 0 if it was never set up. */
  readonly pid: number;
  readonly ended: Promise<Ended>;
  exec(command: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Signals its first process, or those whose command line matches; returns how many were signaled. */
  signal(signal: NodeJS.Signals, process?: RegExp): Promise<number>;
}

/** Starts a container; its processes and mounts end with it. */
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
    // After the end, the id may belong to another process.
    signal: async (signal, process) => (isOver ? 0 : killInside(pid, signal, process)),
  };
}

/**
 * This shell is the parent of the first process in the new namespaces and ends with the exit code of that process. If a
 * signal ended the process, `unshare --fork` of util-linux 2.38 would not report that. The shell's own message about
 * the signal must not get into the container's log.
 */
const AWAIT = 'exec 3>&2 2> /dev/null; "$@" 2>&3 3>&-; exit $?';

const UNSHARE = ['unshare', '--mount', '--pid', '--propagation', 'private', '--', 'sh', '-c', AWAIT, 'sh'];

/** The words of a command line that enter the namespaces of a process and end with this process. */
function enterWords(pid: number): readonly string[] {
  return ['--pdeathsig', 'KILL', '--', 'nsenter', `--target=${pid}`, '--mount', '--net', '--uts', '--ipc', '--pid'];
}

/** Prepares the parts of the root file system that do not depend on the image. */
async function prepareFolder(hostFolder: string): Promise<void> {
  await mkdir(join(hostFolder, 'upper/etc/.pod'), { recursive: true });
  await mkdir(join(hostFolder, 'work'));
  await mkdir(join(hostFolder, 'root'));
  const etc = join(hostFolder, 'upper/etc');
  // Links to a folder, so that the files can be replaced atomically while they are read.
  for (const name of ['hosts', 'hostname']) await symlink(`.pod/${name}`, join(etc, name));
  // Names are resolved only from the hosts file; a lookup must not wait for a name server.
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

/**
 * Waits until the container is set up and returns the id of its first process; 0 if it ended before, with the reason in
 * its output.
 */
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
  // A file and not a pipe of Node, which is a socket: some shells take a socket for a remote login.
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
