import { spawn } from 'node:child_process';
import { eventually } from '../../lib/deadline.ts';
import { latch } from '../../lib/latch.ts';
import { printable } from '../../lib/printable.ts';
import { siblingFile } from '../../lib/sibling-file.ts';
import { machineMs } from './machine-time.ts';

/** The lock that the command runs under. */
export interface Hold {
  /** Aborts when another may take the lock. */
  readonly lost: AbortSignal;
  /** How long the command may go on where this process stands still. */
  readonly fenceInMs: () => number;
  /** Has `listener` called after each renewal. */
  readonly onRenewed: (listener: () => void) => void;
}

/** What becomes of a guard; each is called once at most. */
export interface GuardListener {
  /** The guard knows the command now, whatever becomes of this process; with a problem: it does not. */
  readonly onTold: (problem?: string) => void;
  /** The guard knew the command, and has ended before it was disposed. */
  readonly onGone: () => void;
}

/** The process that ends the command when `hooklet lock` is gone or stands still. */
export interface Guard extends Disposable {
  /** Has it guard a process, or the group of a negative number. */
  watch(target: number | undefined, hold: Hold, listener: GuardListener): void;
}

const NODE_FLAGS = ['--max-semi-space-size=1', '--single-threaded-gc', '--v8-pool-size=0'];

const GUARD_START_MS = 10_000;

/** Starts the process that guards the command, and waits until it does, for 10 s at most; else says why it does not. */
export async function openGuard(): Promise<Guard | string> {
  const args = [...NODE_FLAGS, siblingFile('lock-guard', import.meta.url)];
  const guard = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  guard.stdin.on('error', () => {});
  const ended = latch();
  guard.once('exit', () => ended.resolve());
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
  let isDisposed = false;
  let release = (): void => {};
  return {
    watch: (target, { fenceInMs, onRenewed }, { onTold, onGone }) => {
      if (target === undefined) return;
      const line = (): string => `${Math.round(machineMs() + fenceInMs())}\n`;
      const renewed = (): void => void guard.stdin.write(line());
      guard.stdin.write(`${target}\n${line()}`, (error) => {
        onTold(error ? `has ended: ${printable(error.message)}` : undefined);
        if (!error) void ended.promise.then(() => isDisposed || onGone());
      });
      onRenewed(renewed);
      release = () => onRenewed(() => {});
    },
    [Symbol.dispose]: () => {
      isDisposed = true;
      release();
      guard.stdin.end('done\n');
    },
  };
}
