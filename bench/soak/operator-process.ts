import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface OperatorProcessOptions {
  /** The program to run. */
  readonly main: string;
  readonly hooksDir: string;
  readonly kubeconfig: string;
  readonly tmpDir: string;
  /** The folder in which the hooks record what they saw. */
  readonly out: string;
  readonly logFile: string;
}

/** The resources that the operator uses. */
export interface Footprint {
  readonly atMs: number;
  /** Since this process was started. */
  readonly ageMs: number;
  readonly rssBytes: number;
  readonly openFiles: number;
  readonly processes: number;
}

/** `hooklet start` in a process of its own, which is ended and started again. */
export class OperatorProcess {
  readonly footprints: Footprint[] = [];
  /** The number of starts. */
  generation = 0;
  /** Unexpected ends. */
  crashes = 0;
  readonly #options: OperatorProcessOptions;
  #child: ChildProcess | undefined;
  #startedAtMs = 0;

  constructor(options: OperatorProcessOptions) {
    this.#options = options;
  }

  start(): void {
    const { main, hooksDir, kubeconfig, tmpDir, out, logFile } = this.#options;
    this.generation++;
    this.#startedAtMs = Date.now();
    const log = openSync(logFile, 'a');
    const flags = ['--hooks-dir', hooksDir, '--kube-config', kubeconfig, '--tmp-dir', tmpDir, '--log-format', 'json'];
    const child = spawn(
      process.execPath,
      [main, 'start', ...flags, '--listen-address', '127.0.0.1', '--listen-port', '0'],
      {
        env: {
          PATH: process.env['PATH'],
          HOME: '/nonexistent',
          LC_ALL: 'C',
          SOAK_OUT: out,
          SOAK_GENERATION: String(this.generation).padStart(4, '0'),
        },
        stdio: ['ignore', log, log],
      },
    );
    closeSync(log);
    this.#child = child;
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => {
      process.off('exit', kill);
      if (this.#child === child) this.crashes++;
    });
  }

  /** Sends the signal, and resolves to the exit code when the process has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  }

  /** Kills one of the processes below it whose command line has `word` in it; false when there is none. */
  killChild(word: string): boolean {
    const pid = descendantsOf(this.#child?.pid).find((one) => commandOf(one).includes(word));
    if (pid === undefined) return false;
    process.kill(pid, 'SIGKILL');
    return true;
  }

  /** Measures the resources that it uses now. */
  sample(): Footprint | undefined {
    const pid = this.#child?.pid;
    if (pid === undefined) return undefined;
    try {
      const footprint = {
        atMs: Date.now(),
        ageMs: Date.now() - this.#startedAtMs,
        rssBytes: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
        openFiles: readdirSync(`/proc/${pid}/fd`).length,
        processes: descendantsOf(pid).length + 1,
      };
      this.footprints.push(footprint);
      return footprint;
    } catch {
      return undefined;
    }
  }
}

function descendantsOf(pid: number | undefined): readonly number[] {
  if (pid === undefined) return [];
  const children = childrenOf(pid);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function childrenOf(pid: number): readonly number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.flatMap((thread) =>
      readFileSync(join(`/proc/${pid}/task`, thread, 'children'), 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
