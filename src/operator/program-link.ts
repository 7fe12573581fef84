import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes an executable `hooklet` into a folder below `folder`, for the PATH of hooks; returns that folder. */
export function writeProgram(
  folder: string,
  { node, program }: { readonly node: string; readonly program: string },
): string {
  const binDir = join(folder, 'bin');
  mkdirSync(binDir, { mode: 0o755 });
  const script = `#!/bin/sh\nexec ${quote(node)} ${quote(program)} "$@"\n`;
  writeFileSync(join(binDir, 'hooklet'), script, { mode: 0o755 });
  return binDir;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
