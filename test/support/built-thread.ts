import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/**
 * Builds an entry point of `src` into a file in `folder`. A thread that runs TypeScript removes its types with
 * WebAssembly, and V8 sometimes ends the whole process when such a thread is ended.
 */
export function builtThread(entry: string, folder: string): string {
  const outfile = join(folder, 'thread.cjs');
  const source = fileURLToPath(new URL(`../../src/${entry}`, import.meta.url));
  buildSync({ entryPoints: [source], outfile, bundle: true, format: 'cjs', platform: 'node', target: 'node24' });
  return outfile;
}
