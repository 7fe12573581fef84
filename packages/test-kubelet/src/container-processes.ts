import { readdir, readFile, readlink } from 'node:fs/promises';

/**
 * Signals the first process of a container, or all its processes whose command line matches; returns how many were
 * signaled.
 */
export async function killInside(first: number, signal: NodeJS.Signals, match?: RegExp): Promise<number> {
  if (first === 0) return 0;
  if (match === undefined) return send(first, signal);
  let count = 0;
  for (const pid of await processesLike(first)) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (match.test(words.split('\0').join(' ').trim())) count += send(pid, signal);
  }
  return count;
}

/** The ids of the processes in the process namespace of `first`. */
async function processesLike(first: number): Promise<readonly number[]> {
  const namespace = await readlink(`/proc/${first}/ns/pid`).catch(() => '');
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    if (namespace !== '' && (await readlink(`/proc/${name}/ns/pid`).catch(() => '')) === namespace) {
      found.push(Number(name));
    }
  }
  return found;
}

function send(pid: number, signal: NodeJS.Signals): number {
  // 0 and negative ids are process groups, including that of this process.
  if (pid <= 1) return 0;
  try {
    return process.kill(pid, signal) ? 1 : 0;
  } catch {
    return 0;
  }
}
