import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../lib/shell-word.ts';

/** The folder that is added to the PATH of hooks, relative to the folder of the operator. */
export const BIN_FOLDER = 'bin';
/** The `hooklet` program in it, relative to the folder of the operator. */
export const PROGRAM_FILE = join(BIN_FOLDER, 'hooklet');

/** Writes an executable `hooklet` into a folder below `folder`, for the PATH of hooks; returns that folder. */
export function writeProgram(
  folder: string,
  { node, program }: { readonly node: string; readonly program: string },
): string {
  const binDir = join(folder, BIN_FOLDER);
  mkdirSync(binDir, { recursive: true, mode: 0o755 });
  const script = `#!/bin/sh\nexec ${shellWord(node)} ${shellWord(program)} "$@"\n`;
  writeFileSync(join(folder, PROGRAM_FILE), script, { mode: 0o755 });
  return binDir;
}
