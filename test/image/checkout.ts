import { cp, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command } from './command.ts';

/** Copies what git knows of, or would take, out of a working tree: nothing that was built or installed there. */
export async function copyCheckout(root: string, folder: string): Promise<void> {
  const listed = await command('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of listed.split('\0')) {
    const source = join(root, file);
    // What was deleted and not committed is still listed.
    if (file === '' || !existsSync(source)) continue;
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(source, join(folder, file), { dereference: false });
  }
}
