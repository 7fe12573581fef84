import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The file of the library for hooks in bash, which they find through `HOOKLET_SHELL_LIB`: in the sources in
 * `frameworks`, in the package beside the bundle, or one folder above a chunk of it.
 */
export function shellLibraryFile(from = import.meta.url): string {
  const places = from.endsWith('.ts') ? ['../../frameworks/'] : ['./', '../'];
  const [first = '', ...others] = places.map((place) => fileURLToPath(new URL(`${place}shell_lib.sh`, from)));
  return [first, ...others].find((file) => existsSync(file)) ?? first;
}
