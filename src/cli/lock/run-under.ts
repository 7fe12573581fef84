import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { printable } from '../../lib/printable.ts';
import { latch } from '../../lib/latch.ts';
import type { LockIo } from './lock-io.ts';

/** A command to run. */
export interface CommandUnder {
  readonly program: string;
  readonly args: readonly string[];
  /** From SIGTERM to SIGKILL when the lock is lost. */
  readonly killAfterMs: number;
}

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const EXIT_NOT_FOUND = 127;
const EXIT_NOT_STARTED = 126;

/**
 * Runs a command with our input and output until it ends by itself, or `lost` aborts; resolves to its exit code, 128 and
 * the number of the signal that ended it. It has a process group of its own, which ends with this process too, however
 * that ends; on a terminal, whose input one group alone can read, it has ours.
 */
export async function runUnder(
  { program, args, killAfterMs }: CommandUnder,
  lost: AbortSignal,
  { stderr }: LockIo,
): Promise<number> {
  const isOnTerminal = isatty(0);
  const child = spawn(program, args, { stdio: 'inherit', detached: !isOnTerminal });
  const end = (signal: NodeJS.Signals): void => send(child, signal, !isOnTerminal);
  using _signals = passOn(isOnTerminal, end);
  using _guard = guarded(child, isOnTerminal);
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

const GUARD = 'read -r word; [ "$word" = done ] || { kill -s TERM -- "$1"; sleep 1; kill -s KILL -- "$1"; }';

/** Ends the command when this process is gone and nobody renews the lock: its input ends then, without a word. */
function guarded({ pid }: ChildProcess, isOnTerminal: boolean): Disposable {
  if (pid === undefined) return { [Symbol.dispose]: nothing };
  const target = String(isOnTerminal ? pid : -pid);
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', target], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // An image without a shell has no guard.
  guard.on('error', nothing);
  guard.stdin.on('error', nothing);
  guard.unref();
  return { [Symbol.dispose]: () => void guard.stdin.end('done\n') };
}
