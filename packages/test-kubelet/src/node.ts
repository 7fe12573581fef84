import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Addresses } from './addresses.ts';

/**
 * A node on this machine: mount, network and process namespaces that end with this process, however it ends, together
 * with everything that was mounted, linked and started in them.
 */
export interface KubeNode extends AsyncDisposable {
  readonly name: string;
  /** The id of its first process on this machine. */
  readonly pid: number;
  /** The address of this machine on the pods' network. */
  readonly gateway: string;
  readonly addresses: Addresses;
  /** The node's folder as its own processes see it: a file system in memory. */
  readonly folder: string;
  /** The same folder as this process sees it. */
  readonly hostFolder: string;
  /** Runs a shell script in its mount and network namespaces; resolves to the output. */
  run(script: string, ...args: readonly string[]): Promise<string>;
}

const FOLDER_PREFIX = 'hooklet-kubelet-';
/** The network for benchmarks (RFC 2544), which is not used elsewhere: 198.18.0.0/15 in parts of 254 addresses. */
const NETWORKS = 512;

const UNSHARE = 'unshare --mount --net --uts --ipc --pid --fork --kill-child --propagation private --'.split(' ');

/** Starts a node with a network that no other node has. */
export async function startNode(): Promise<KubeNode> {
  await sweepFolders();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const child = spawnHolder([...UNSHARE, script('node.sh'), folder]);
  const dispose = async (): Promise<void> => {
    await endHolder(child);
    process.off('exit', removeFolder);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const pid = await pidOf(child);
    const run: KubeNode['run'] = (text, ...args) => runIn(pid, text, args);
    const network = await linkNetwork(pid, run);
    return {
      name: `${LINK_PREFIX}${network}`,
      pid,
      gateway: addressIn(network, 1),
      addresses: new Addresses((host) => addressIn(network, host)),
      folder,
      hostFolder: `/proc/${pid}/root${folder}`,
      run,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Starts a process that holds namespaces; it ends with this process, even if that is killed. */
export function spawnHolder(words: readonly string[]): Holder {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  // A process that cannot be started prints nothing, which `pidOf` reports.
  return child.on('error', () => {});
}

/** A process that holds namespaces. */
export type Holder = ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };

/** The process id that the holder prints when it is ready; throws if it ends before. */
export async function pidOf(child: Holder): Promise<number> {
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) return Number(line);
  throw new Error(
    `cannot start namespaces: ${errors.join('').trim()}; it needs root, util-linux and iproute2 (Debian packages of these names)`,
  );
}

/** Ends a holder and everything in its namespaces. */
export async function endHolder(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The path of a script in the folder of this file. */
export function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

const run = promisify(execFile);

async function runIn(pid: number, text: string, args: readonly string[]): Promise<string> {
  const words = [`--target=${pid}`, '--mount', '--net', '--', 'sh', '-euc', text, 'sh', ...args];
  const { stdout } = await run('nsenter', words);
  return stdout;
}

const LINK_PREFIX = 'hooklet-';

/** The name of the link reserves the network: it can be created only once, and is deleted with the node. */
async function linkNetwork(pid: number, inNode: KubeNode['run']): Promise<number> {
  const first = process.pid % NETWORKS;
  for (let tried = 0; tried < NETWORKS; tried++) {
    const network = (first + tried) % NETWORKS;
    const link = `${LINK_PREFIX}${network}`;
    const words = ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'uplink', 'netns', String(pid)];
    const taken = await run('ip', words).then(
      () => false,
      (error: unknown) => {
        if (String(error).includes('File exists')) return true;
        throw new Error('cannot make a network for pods: it needs root and the Debian package iproute2', {
          cause: error,
        });
      },
    );
    if (taken) continue;
    await run('ip', ['address', 'add', `${addressIn(network, 1)}/24`, 'dev', link]);
    await run('ip', ['link', 'set', link, 'up']);
    await inNode('ip link set uplink master bridge up');
    return network;
  }
  throw new Error(`all ${NETWORKS} networks for pods are taken: see "ip link" for those named ${LINK_PREFIX}…`);
}

function addressIn(network: number, host: number): string {
  return `198.${18 + Math.floor(network / 256)}.${network % 256}.${host}`;
}

/** Deletes the folders of killed runs; their contents were deleted with their namespaces. */
async function sweepFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const owner = Number.parseInt(name.slice(FOLDER_PREFIX.length), 10);
    if (!isAlive(owner)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
