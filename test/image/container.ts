import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from '../../bench/memory.ts';
import { command } from './command.ts';
import type { Image } from './image-store.ts';
import { descendantsOf, pssOf } from './process-tree.ts';

export interface ContainerOptions {
  /** Replaces the command of the image. */
  readonly command?: readonly string[];
  /** Added to the environment of the image. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of this machine, by their paths in the container. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Replaces the user of the image. */
  readonly user?: string;
  /** Whether the root file system is writable; default false. */
  readonly writable?: boolean;
}

/** The result of a container that has ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One entry of hooklet's log. */
export type Entry = Readonly<Record<string, unknown>>;

export interface Container extends AsyncDisposable {
  readonly startedAtMs: number;
  /** Its log so far. */
  readonly entries: readonly Entry[];
  /** Runs a program in the container, as its user; resolves to the output. */
  exec(program: string, ...args: readonly string[]): Promise<string>;
  /** The PSS of all its processes in bytes: shared memory counts once. */
  pss(): Promise<number>;
  /** The CPU time of all its processes so far, including those that have ended. */
  cpuSeconds(): number;
  /** Sends SIGTERM to its first process, as a kubelet does; resolves when it has ended. */
  stop(): Promise<Ended>;
}

/** Runs a container to its end. */
export async function runContainer(image: Image, options: ContainerOptions = {}): Promise<Ended> {
  const child = contain(image, options);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode: child.exitCode, stdout, stderr };
}

/** Starts a container with hooklet; it ends with its scope at the latest. */
export function startContainer(image: Image, options: ContainerOptions = {}): Container {
  const child = contain(image, options);
  const startedAtMs = Date.now();
  const lines: string[] = [];
  const entries: Entry[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    entries.push(readEntry(line));
  });
  const stderr = text(child.stderr);
  const closed = once(child, 'close');
  // If the tests are interrupted, the container ends too.
  const endWithUs = (): void => kill(child);
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  const ended = async (): Promise<Ended> => {
    await closed;
    return { exitCode: child.exitCode, stdout: lines.join('\n'), stderr: await stderr };
  };
  return {
    startedAtMs,
    entries,
    exec: async (program, ...args) => {
      const [uid = '', gid = ''] = (options.user ?? image.user).split(':');
      const target = [`--target=${firstProcess(child)}`, '--mount', '--pid', '--root', '--wd=/'];
      const variables = variablesOf(image, options);
      const words = [
        ...target,
        `--setuid=${uid}`,
        `--setgid=${gid}`,
        '--',
        'env',
        '-i',
        ...variables,
        program,
        ...args,
      ];
      return command('nsenter', words);
    },
    pss: async () => pssOf(await descendantsOf(child.pid ?? 0)),
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    stop: async () => {
      process.kill(firstProcess(child), 'SIGTERM');
      return ended();
    },
    async [Symbol.asyncDispose]() {
      kill(child);
      await ended();
    },
  };
}

type Contained = ChildProcessByStdio<null, Readable, Readable>;

const script = fileURLToPath(new URL('contain.sh', import.meta.url));

function contain(image: Image, options: ContainerOptions): Contained {
  const { mounts = {}, user = image.user, writable = false, command: argv = image.command } = options;
  const mode = writable ? 'rw' : 'ro';
  return spawn(
    'unshare',
    [
      '--mount',
      '--pid',
      '--fork',
      '--',
      script,
      image.root,
      user,
      mode,
      ...Object.entries(mounts).flatMap(([path, folder]) => ['--mount', `${folder}:${path}`]),
      ...variablesOf(image, options),
      ...argv,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
}

/** The variables of the container. A container runtime sets HOME for users without a home. */
function variablesOf(image: Image, { env = {} }: ContainerOptions): readonly string[] {
  return Object.entries({ HOME: '/', ...image.env, ...env }).map(([key, value]) => `${key}=${value}`);
}

/** The process that has PID 1 in the container, by its PID outside; all others end with it. */
function firstProcess({ pid = 0 }: Contained): number {
  const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  if (first === '') throw new Error('the container has no process yet');
  return Number(first);
}

/** Kills a container if it has not ended. Killing `unshare` is not enough: its child runs as another user. */
function kill(child: Contained): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(firstProcess(child), 'SIGKILL');
  } catch {
    // The container has not begun, or has just ended.
    child.kill('SIGKILL');
  }
}

function readEntry(line: string): Entry {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return { msg: 'no JSON', line };
  }
}
