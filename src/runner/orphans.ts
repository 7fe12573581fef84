import { readdirSync, readFileSync } from 'node:fs';

// One look finds all but what was started during it; who starts more and faster than this is not waited for.
const MAX_LOOKS = 10;

/**
 * Kills every process whose environment names `folder`: what a dead spawner had started, even where it could no longer
 * say so, and what that starts meanwhile. Finds nothing where there is no /proc.
 */
export function killOrphans(folder: string, list: () => readonly number[] = listProcesses): void {
  const needle = Buffer.from(`${folder}/`);
  const killed = new Set([process.pid]);
  for (let look = 0; look < MAX_LOOKS; look++) {
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
    // Gone, or somebody else's.
    return Buffer.alloc(0);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
