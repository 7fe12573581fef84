import { readdirSync, readFileSync } from 'node:fs';

// One scan misses what is started during it; a program that forks faster than this is given up.
const MAX_SCANS = 10;

/**
 * Kills every process whose environment contains `folder`: the processes of a dead spawner, including those it had not
 * reported yet, and their new children. Finds nothing where there is no /proc.
 */
export function killOrphans(folder: string, list: () => readonly number[] = listProcesses): void {
  const needle = Buffer.from(`${folder}/`);
  const killed = new Set([process.pid]);
  for (let scan = 0; scan < MAX_SCANS; scan++) {
    const found = list().filter((pid) => !killed.has(pid) && environmentOf(pid).includes(needle));
    if (found.length === 0) return;
    for (const pid of found) {
      kill(pid);
      killed.add(pid);
    }
  }
}

function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): Buffer {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    // The process is gone, or belongs to another user.
    return Buffer.alloc(0);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
