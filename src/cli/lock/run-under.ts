import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { eventually } from '../../lib/deadline.ts';
import { printable } from '../../lib/printable.ts';
import { latch } from '../../lib/latch.ts';
import { siblingFile } from '../../lib/sibling-file.ts';
import type { LockIo } from './lock-io.ts';
import { machineMs } from './machine-time.ts';

/** A command to run. */
export interface CommandUnder {
  readonly program: string;
  readonly args: readonly string[];
  /** From SIGTERM to SIGKILL when the lock is lost. */
  readonly killAfterMs: number;
}

/** What is known of the lock that it runs under. */
export interface Hold {
  /** Aborts when another may take the lock. */
  readonly lost: AbortSignal;
  /** How long the command may go on where this process stands still. */
  readonly fenceInMs: () => number;
  /** Has `listener` called after each renewal. */
  readonly onRenewed: (listener: () => void) => void;
}

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const EXIT_UNGUARDED = 1;
const EXIT_NOT_FOUND = 127;
const EXIT_NOT_STARTED = 126;

/**
 * Runs a command with our input and output until it ends by itself, or `lost` aborts; resolves to its exit code, 128 and
 * the number of the signal that ended it. It has a process group of its own, which ends with this process too, however
 * that ends or stands still; on a terminal, whose input one group alone can read, it has ours.
 */
export async function runUnder(
  { program, args, killAfterMs }: CommandUnder,
  hold: Hold,
  { stderr }: LockIo,
): Promise<number> {
  const { lost } = hold;
  const isOnTerminal = isatty(0);
  const early: NodeJS.Signals[] = [];
  const command: { child?: ChildProcess } = {};
  const end = (signal: NodeJS.Signals): void => {
    if (command.child === undefined) early.push(signal);
    else send(command.child, signal, !isOnTerminal);
  };
  using _signals = passOn(isOnTerminal, end);
  // Before the command, which is not to run for a moment without it.
  const opened = await openGuard();
  if (typeof opened === 'string') {
    stderr(`hooklet: ${printable(program)} is not started, as the process that would guard it ${opened}\n`);
    return EXIT_UNGUARDED;
  }
  using guard = opened;
  const child = spawn(program, args, { stdio: 'inherit', detached: !isOnTerminal });
  command.child = child;
  early.forEach(end);
  guard.watch(isOnTerminal ? child.pid : child.pid && -child.pid, hold);
  let kill: NodeJS.Timeout | undefined;
  const stop = (): void => {
    end('SIGTERM');
    kill = setTimeout(() => end('SIGKILL'), killAfterMs);
  };
  if (lost.aborted) stop();
  else lost.addEventListener('abort', stop, { once: true });
  try {
    return await exitOf(child, (reason) =>
      stderr(`hooklet: ${printable(program)} cannot be started: ${printable(reason)}\n`),
    );
  } finally {
    // What the command left behind does not work under the lock any longer.
    if (lost.aborted) end('SIGKILL');
    clearTimeout(kill);
    lost.removeEventListener('abort', stop);
  }
}

async function exitOf(child: ChildProcess, onNotStarted: (reason: string) => void): Promise<number> {
  const ended = latch<number>();
  child.on('error', (error) => {
    onNotStarted(error.message);
    ended.resolve('code' in error && error.code === 'ENOENT' ? EXIT_NOT_FOUND : EXIT_NOT_STARTED);
  });
  child.on('exit', (code, signal) => ended.resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  return ended.promise;
}

/** Passes signals on; the terminal sends SIGINT and SIGQUIT to the whole group itself. */
function passOn(isOnTerminal: boolean, end: (signal: NodeJS.Signals) => void): Disposable {
  const listeners = PASSED_ON.map((signal) => {
    const isSentByTerminal = isOnTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT');
    return { signal, listener: isSentByTerminal ? nothing : end };
  });
  for (const { signal, listener } of listeners) process.on(signal, listener);
  return {
    [Symbol.dispose]: () => {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

function nothing(): void {}

function send({ pid }: ChildProcess, signal: NodeJS.Signals, isGroup: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(isGroup ? -pid : pid, signal);
  } catch {
    // It has ended.
  }
}

const NODE_FLAGS = ['--max-semi-space-size=1', '--single-threaded-gc', '--v8-pool-size=0'];

const GUARD_START_MS = 10_000;

interface Guard extends Disposable {
  /** Has the process, or the group of a negative number, ended when this process is gone or stands still. */
  watch(target: number | undefined, hold: Hold): void;
}

/** Starts the process that guards the command, and waits until it does, for 10 s at most; else says why it does not. */
async function openGuard(): Promise<Guard | string> {
  const args = [...NODE_FLAGS, siblingFile('lock-guard', import.meta.url)];
  const guard = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  guard.stdin.on('error', nothing);
  const late = (): string => `did not start within ${GUARD_START_MS / 1000} s`;
  const problem = await eventually<string | undefined>({ limitMs: GUARD_START_MS, late }, ({ resolve }) => {
    guard.on('error', ({ message }) => resolve(`cannot be started: ${printable(message)}`));
    guard.once('exit', (code, signal) => resolve(`ended at once with ${signal ?? code}`));
    guard.stdout.once('data', () => resolve(undefined));
    return undefined;
  });
  if (problem !== undefined) {
    guard.kill('SIGKILL');
    return problem;
  }
  guard.stdout.destroy();
  guard.unref();
  let release = nothing;
  return {
    watch: (target, { fenceInMs, onRenewed }) => {
      if (target === undefined) return;
      const renewed = (): void => void guard.stdin.write(`${Math.round(machineMs() + fenceInMs())}\n`);
      guard.stdin.write(`${target}\n`);
      renewed();
      onRenewed(renewed);
      release = () => onRenewed(nothing);
    },
    [Symbol.dispose]: () => {
      release();
      guard.stdin.end('done\n');
    },
  };
}
