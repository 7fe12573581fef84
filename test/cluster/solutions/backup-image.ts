import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const words = (text: string): readonly string[] => text.split(' ');

/**
 * The programs in the image of the solution that its scripts use, by Debian package. The operators in the tests can
 * use no others.
 */
export const IMAGE_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  age: ['age', 'age-keygen'],
  bash: ['bash'],
  coreutils: words(
    'basename cat cp cut date dd df dirname du env head ln mkdir mktemp mv od rm sha256sum sleep sort stat sync tac tail tee timeout touch tr uname wc',
  ),
  diffutils: ['cmp', 'diff'],
  findutils: ['xargs'],
  grep: ['grep'],
  gzip: ['gzip'],
  jq: ['jq'],
  mawk: ['awk'],
  // This package stands for its dependencies; the server programs are in a folder of their own.
  postgresql: words('pg_dump pg_isready pg_restore psql'),
  rclone: ['rclone'],
  'redis-server': ['redis-server'],
  'redis-tools': ['redis-check-rdb', 'redis-cli'],
  sed: ['sed'],
  tar: ['tar'],
  'util-linux': ['flock'],
};

/** Programs that are copied from another image. */
export const COPIED_PROGRAMS = ['etcd', 'etcdctl', 'etcdutl'] as const;

// Only used by the fixtures.
const OF_THE_TESTS = ['mkfifo', 'ps', 'setpriv', 'sh', 'truncate'];

/**
 * Makes a folder with links to the programs of the image, found in a search path; programs that are not there are
 * skipped.
 */
export function linkPrograms(folder: string, searchPath: string): string {
  mkdirSync(folder);
  const names = [...Object.values(IMAGE_PROGRAMS).flat(), ...COPIED_PROGRAMS, ...OF_THE_TESTS];
  for (const name of names) {
    const found = searchPath
      .split(':')
      .map((path) => join(path, name))
      .find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(folder, name));
  }
  return folder;
}
