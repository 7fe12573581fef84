import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { printable } from '../../lib/printable.ts';
import { latch } from '../../lib/latch.ts';
import { openGuard, type Hold } from './guard-process.ts';
import { keepGuard, type KeptGuardOptions } from './kept-guard.ts';
import type { LockIo } from './lock-io.ts';

/** A command to run. */
export interface CommandUnder {
  readonly program: string;
  readonly args: readonly string[];
  /** From SIGTERM to SIGKILL when the lock is lost, or nothing guards the command any more. */
  readonly killAfterMs: number;
  /** The shell that holds the command back until the guard knows it; where there is none, the command begins at once. */
  readonly shell?: string;
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
export async function runUnder(under: CommandUnder, hold: Hold, { stderr }: Pick<LockIo, 'stderr'>): Promise<number> {
  const { program, killAfterMs } = under;
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
    stderr(unguarded(program, opened));
    return EXIT_UNGUARDED;
  }
  using guard = keepGuard(opened);
  const started = start(under, !isOnTerminal);
  const { child } = started;
  command.child = child;
  early.forEach(end);
  let kill: NodeJS.Timeout | undefined;
  const stop = (): void => {
    end('SIGTERM');
    kill ??= setTimeout(() => end('SIGKILL'), killAfterMs);
  };
  const target = isOnTerminal ? child.pid : child.pid && -child.pid;
  guard.watch({ target, hold, ...guardListener(program, started, { stderr, stop, kill: () => end('SIGKILL') }) });
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

interface StartedCommand {
  readonly child: ChildProcess;
  /** A shell has the command wait until the guard knows it. */
  readonly isHeldBack: boolean;
}

function start({ program, args, shell = '/bin/sh' }: CommandUnder, detached: boolean): StartedCommand {
  const isHeldBack = isKeptByShell(process.env) && existsSync(shell);
  if (!isHeldBack) return { child: spawn(program, args, { stdio: 'inherit', detached }), isHeldBack };
  const stdio = ['inherit', 'inherit', 'inherit', 'pipe'] as const;
  return {
    child: spawn(shell, ['-c', WHEN_GUARDED, 'sh', program, ...args], { stdio: [...stdio], detached }),
    isHeldBack,
  };
}

interface Endings extends Pick<LockIo, 'stderr'> {
  readonly stop: () => void;
  readonly kill: () => void;
}

/** Has the command begin once it is guarded, and ends it where nothing guards it. */
function guardListener(
  program: string,
  { child, isHeldBack }: StartedCommand,
  { stderr, stop, kill }: Endings,
): Pick<KeptGuardOptions, 'onTold' | 'onReplaced' | 'onUnguarded'> {
  const onUnguarded = (problem: string): void => {
    stderr(`hooklet: ${printable(program)} is ended, as the process that guards it ${problem}\n`);
    stop();
  };
  return {
    onTold: (problem) => {
      if (problem === undefined) return begin(child);
      if (!isHeldBack) return onUnguarded(problem);
      stderr(unguarded(program, problem));
      kill();
    },
    onReplaced: () => stderr(`hooklet: the process that guards ${printable(program)} had ended, another does now\n`),
    onUnguarded,
  };
}

/** Becomes the command when a line comes, and ends where none does, as when `hooklet lock` was killed. */
const WHEN_GUARDED = 'read -r __hooklet_lock_begin <&3 || exit 126; unset __hooklet_lock_begin; exec 3<&-; exec "$@"';

/** Some shells drop variables such as `tls.key`, which Kubernetes allows: with them the command begins at once. */
function isKeptByShell(env: NodeJS.ProcessEnv): boolean {
  return Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name));
}

/** Has the command begin, which the guard knows now. */
function begin({ stdio: [, , , gate] }: ChildProcess): void {
  gate?.on('error', () => {});
  if (gate instanceof Writable) gate.end('begin\n');
}

function unguarded(program: string, problem: string): string {
  return `hooklet: ${printable(program)} is not started, as the process that would guard it ${problem}\n`;
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
    return { signal, listener: isSentByTerminal ? () => {} : end };
  });
  for (const { signal, listener } of listeners) process.on(signal, listener);
  return {
    [Symbol.dispose]: () => {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

function send({ pid }: ChildProcess, signal: NodeJS.Signals, isGroup: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(isGroup ? -pid : pid, signal);
  } catch {
    // It has ended.
  }
}
