import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

const ROOT = '/sys/fs/cgroup';

/** A limit of memory as a container has it, kept by the kernel. */
export interface MemoryLimit extends AsyncDisposable {
  /** The text of a program that runs another one under it. */
  readonly around: (program: string) => string;
}

/** Makes one; it needs root. */
export function limitMemory(bytes: number): MemoryLimit {
  const isOld = existsSync(join(ROOT, 'memory'));
  const name = `hooklet-${crypto.randomUUID()}`;
  const parent = isOld ? join(ROOT, 'memory') : ROOT;
  const folder = join(parent, name);
  mkdirSync(folder);
  writeFileSync(join(folder, isOld ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
  return {
    // In a container the limit is that of the root it sees.
    around: (program) => `#!/bin/sh
echo $$ > '${folder}/cgroup.procs'
exec unshare --mount -- sh -c 'mount --bind "${folder}" "${parent}" && exec "$0" "$@"' '${program}' "$@"
`,
    [Symbol.asyncDispose]: async () => eventually(() => rmdirSync(folder)),
  };
}
