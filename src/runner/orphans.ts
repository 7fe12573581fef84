import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills every process whose environment names `folder`: what a dead spawner had started, even where it could no longer
 * say so. Finds nothing where there is no /proc.
 */
export function killOrphans(folder: string): void {
  const needle = Buffer.from(`${folder}/`);
  for (const pid of listProcesses()) {
    if (pid !== process.pid && environmentOf(pid).includes(needle)) kill(pid);
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
