import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { markedProcesses } from './hook-rig.ts';

/** Finds the processes of one operator by a mark in their environment. */
export interface MarkedProcesses {
  /** Must be added to the operator's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The living processes whose command line contains `word`. */
  pids(word?: string): readonly number[];
}

export function markProcesses(): MarkedProcesses {
  const mark = randomUUID();
  return {
    env: { HOOKLET_TEST: mark },
    pids: (word = '') => markedProcesses(`HOOKLET_TEST=${mark}`).filter((pid) => commandOf(pid).includes(word)),
  };
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
