import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

const ROOT = '/sys/fs/cgroup';

/** A memory limit like that of a container, enforced by the kernel. */
export interface MemoryLimit extends AsyncDisposable {
  /** The text of a program that runs another one under the limit. */
  readonly around: (program: string) => string;
}

/** Makes a limit; this needs root. */
export function limitMemory(bytes: number): MemoryLimit {
  const isOld = existsSync(join(ROOT, 'memory'));
  const name = `hooklet-${crypto.randomUUID()}`;
  const parent = isOld ? join(ROOT, 'memory') : ROOT;
  const folder = join(parent, name);
  mkdirSync(folder);
  writeFileSync(join(folder, isOld ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
  return {
    // In a container the limit is below the root cgroup that the container sees.
    around: (program) => `#!/bin/sh
echo $$ > '${folder}/cgroup.procs'
exec unshare --mount -- sh -c 'mount --bind "${folder}" "${parent}" && exec "$0" "$@"' '${program}' "$@"
`,
    [Symbol.asyncDispose]: async () => eventually(() => rmdirSync(folder)),
  };
}
