#!/usr/bin/env node
const OLDEST_NODE = 24;
const LAST_HOLD_MS = 500;

const { node } = process.versions;
if (Number.parseInt(node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `hooklet: needs Node ${OLDEST_NODE} or later, this is ${node}; put a newer one first on the PATH, or run npx hooklet, which installs one\n`,
  );
  process.exit(2);
}
await keepCompiled();
// Imported only now, because an older Node cannot even load it.
const { main } = await import('./cli/program/program.ts');
process.exitCode = await main(process.argv.slice(2), undefined, () =>
  setTimeout(() => process.exit(), LAST_HOLD_MS).unref(),
);

/**
 * Enables Node's compile cache, without which all code would be compiled at each start. The image contains a cache that
 * `scripts/compile.ts` wrote. Code from the cache is executed, so a folder is used only if other users cannot write to
 * it or replace it.
 */
async function keepCompiled(): Promise<void> {
  const { constants, enableCompileCache } = process.getBuiltinModule('node:module');
  // Node has already enabled the cache in the folder that this variable names.
  if ((process.env['NODE_COMPILE_CACHE'] ?? '') !== '') return;
  const brought = `${import.meta.dirname}/compiled`;
  const { FAILED } = constants.compileCacheStatus;
  // Fails for a user for whom nothing was compiled, because only the owner can write to the folder.
  if (isPrivate(brought) && enableCompileCache({ directory: brought, portable: true }).status !== FAILED) return;
  const { tmpdir } = process.getBuiltinModule('node:os');
  const { makePrivateFolder } = await import('./lib/trusted-folder.ts');
  try {
    enableCompileCache(makePrivateFolder(`${tmpdir()}/node-compile-cache`));
  } catch {
    // There is no safe folder: the start is a little slower.
  }
}

/** Whether the folder exists, belongs to this user or root, and nobody else can write to it. */
function isPrivate(folder: string): boolean {
  const stats = process.getBuiltinModule('node:fs').lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return false;
  return (stats.uid === 0 || stats.uid === process.geteuid?.()) && (stats.mode & 0o022) === 0;
}

export {};
