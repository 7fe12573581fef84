/*
 * A run is over when its process has exited and its output is closed. A background job of a hook holds the output that
 * it inherited, and may still write patches, so it is waited for: until it ends, until the limit, or until the run is
 * ended. `process-group.ts` calls `awaitClosed` once the process has exited by itself. What must hold: the wait has an
 * end, and no group is signalled after its last process is gone, because its id may be that of another then.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { goDuration } from '../lib/duration.ts';
import { latch } from '../lib/latch.ts';
import { printableLine } from '../lib/printable.ts';
import { limitRun } from './run-limits.ts';

// Most output is closed within milliseconds; what takes longer is told, and looked at again at this interval.
const LOOK_MS = 1000;
const MOST_NAMES = 3;

export interface HeldOutput {
  /** Resolves when all have closed it. */
  readonly closed: Promise<unknown>;
  readonly limitMs: number;
  /** Time from SIGTERM at the limit until the wait ends. */
  readonly graceMs: () => number;
  /** Aborting it ends the wait as the limit does. */
  readonly signal: AbortSignal;
  /** Sends SIGTERM to the group. */
  readonly terminate: () => void;
  /** Returns who holds the output. */
  readonly holders: () => string;
  /** Called once when the wait takes longer than a second, with a line for the log. */
  readonly note: (line: string) => void;
  /** Called every second. */
  readonly onLook: () => void;
}

/** How the wait was cut short. */
export interface CutWait {
  /** Who held the output. */
  readonly heldBy: string;
  /** By the limit, not by the signal. */
  readonly isLate: boolean;
}

/** Waits until the output is closed; returns undefined then, and how the wait was cut short otherwise. */
export async function awaitClosed(held: HeldOutput): Promise<CutWait | undefined> {
  const { closed, limitMs, graceMs, signal, terminate, holders, note, onLook } = held;
  const over = latch();
  let heldBy: string | undefined;
  let isTold = false;
  const look = (): void => {
    onLook();
    if (isTold) return;
    isTold = true;
    const limit = Number.isFinite(limitMs) ? `, at most ${goDuration(Math.ceil(limitMs))} from its end` : '';
    note(`hooklet: the hook has exited, and is waited for until its output is closed${limit}: ${holders()} holds it`);
  };
  const looking = setInterval(look, LOOK_MS);
  const limits = limitRun({
    timeoutMs: limitMs,
    graceMs,
    signal,
    onEnd: () => {
      heldBy ??= holders();
      terminate();
    },
    onKill: over.resolve,
  });
  void closed.then(() => over.resolve());
  await over.promise;
  clearInterval(looking);
  limits.clear();
  return heldBy === undefined ? undefined : { heldBy, isLate: limits.isTimedOut() };
}

/** The processes whose standard output or standard error is one of these pipes, as text. */
export function holdersOf(pipes: readonly string[]): string {
  const found = processes().filter((pid) => [1, 2].some((fd) => pipes.includes(targetOf(pid, fd))));
  const names = found.slice(0, MOST_NAMES).map((pid) => `process ${pid} (${nameOf(pid)})`);
  const more = found.length > MOST_NAMES ? [`${found.length - MOST_NAMES} more`] : [];
  return names.length === 0 ? 'a process that it started' : [...names, ...more].join(', ');
}

function processes(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function targetOf(pid: string, fd: number): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
}

/** Without its arguments, which may be secret. */
function nameOf(pid: string): string {
  try {
    return printableLine(readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd());
  } catch {
    return 'ended';
  }
}
