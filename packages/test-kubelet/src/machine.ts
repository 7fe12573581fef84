import { readdir, readFile } from 'node:fs/promises';

/** The ids of the processes of this machine whose command line is `words`. */
export async function processes(words: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0').join(' ').trim();
    if (line === words) found.push(Number(name));
  }
  return found;
}
