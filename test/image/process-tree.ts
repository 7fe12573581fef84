import { readdir, readFile } from 'node:fs/promises';

/** The ids of a process and all its descendants. */
export async function descendantsOf(pid: number): Promise<readonly number[]> {
  const children = new Map<number, number[]>();
  for (const name of await readdir('/proc')) {
    const parent = await parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [pid];
  for (const next of found) found.push(...(children.get(next) ?? []));
  return found;
}

/** The PSS of processes in bytes: shared memory counts once. */
export async function pssOf(pids: readonly number[]): Promise<number> {
  let sum = 0;
  for (const pid of pids) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    sum += Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return sum;
}

async function parentOf(name: string): Promise<number | undefined> {
  if (!/^\d+$/.test(name)) return undefined;
  // The process may have ended in the meantime.
  const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
  const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1];
  return parent === undefined ? undefined : Number(parent);
}
