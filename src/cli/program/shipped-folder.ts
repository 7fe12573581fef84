import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * A folder of files that come with hooklet: in the sources at the root of the repository, in the package beside the
 * bundle, or one folder above a chunk of it.
 */
export function shippedFolder(name: 'deploy' | 'templates' | 'schemas', from = import.meta.url): string {
  const places = from.endsWith('.ts') ? ['../../../'] : ['./', '../'];
  const [first = '', ...others] = places.map((place) => fileURLToPath(new URL(`${place}${name}`, from)));
  return [first, ...others].find((folder) => existsSync(folder)) ?? first;
}
