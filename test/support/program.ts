import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { builtMain } from './built-program.ts';

/** A `hooklet` process. */
export interface Program {
  readonly pid: number;
  /** Its output so far. */
  stdout(): string;
  stderr(): string;
  /** Waits until it has written `text` to standard output. */
  says(text: string | RegExp): Promise<void>;
  /** Sends a signal only to it, or to its group as a terminal does. */
  signal(name: NodeJS.Signals, to?: 'process' | 'group'): void;
  hasEnded(): boolean;
  /** Waits for its end; returns the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** Added to the environment; an undefined value removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** The file to run; default: a build of the sources. */
  readonly main?: string;
}

/** Starts `hooklet` with arguments; it is killed at the end of the test if it still runs. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): Program {
  const { cwd, env, stdin = '', main = builtMain() } = options;
  const clean = { ...process.env, KUBECONFIG: undefined, HOME: '/nonexistent', ...env };
  const child = spawn(process.execPath, [main, ...args], { cwd, env: clean, detached: true });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const pid = child.pid ?? 0;
  onTestFinished(() => kill(pid));
  let hasEnded = false;
  child.once('close', () => (hasEnded = true));
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (name, to = 'process') => void process.kill(to === 'group' ? -pid : pid, name),
    hasEnded: () => hasEnded,
    ended: endOf(child),
    async says(text) {
      const isSaid = () => (typeof text === 'string' ? stdout.includes(text) : text.test(stdout));
      await expect
        .poll(isSaid, { timeout: 45_000, interval: 10 })
        .toBe(true)
        .catch(() => {
          throw new Error(`hooklet ${args.join(' ')} did not say ${String(text)}, but:\n${stdout}\n${stderr}`);
        });
    },
  };
}

/** Runs `hooklet` to its end. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}) {
  const program = startProgram(args, options);
  const exitCode = await program.ended;
  return { exitCode, stdout: program.stdout(), stderr: program.stderr() };
}

/** Runs a line of bash in which `hooklet` is a build of the sources. */
export async function runInShell(line: string) {
  const child = spawn('bash', ['-c', `hooklet() { '${process.execPath}' '${builtMain()}' "$@"; }; ${line}`]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.resume();
  return { exitCode: await endOf(child), stderr };
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  await once(child, 'close');
  return child.exitCode ?? child.signalCode;
}

function kill(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended as expected.
  }
}
