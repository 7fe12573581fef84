import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** The program as it is installed, in a folder of its own; it starts in a tenth of the time that the sources take. */
export interface BuiltProgram extends Disposable {
  /** The package: `package.json` and `dist`. */
  readonly folder: string;
  readonly main: string;
}

/** Builds the program as the package is built, and does not change the checkout. */
export async function buildProgram(): Promise<BuiltProgram> {
  const root = mkdtempSync(join(tmpdir(), 'hooklet-built-'));
  // Users of containers read it, too.
  chmodSync(root, 0o755);
  cpSync(join(repository, 'package.json'), join(root, 'package.json'));
  await promisify(execFile)(process.execPath, [join(repository, 'scripts', 'build.ts')], {
    env: { ...process.env, HOOKLET_BUILD_FOLDER: join(root, 'dist') },
  });
  return {
    folder: root,
    main: join(root, 'dist', 'main.js'),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
