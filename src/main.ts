#!/usr/bin/env node
const OLDEST_NODE = 24;
const LAST_HOLD_MS = 500;

const { node } = process.versions;
if (Number.parseInt(node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `hooklet: needs Node ${OLDEST_NODE} or later, this is ${node}; put a newer one first on the PATH, or run npx hooklet, which brings one\n`,
  );
  process.exit(2);
}
await keepCompiled();
// Only now: an older Node does not have all that is named there.
const { main } = await import('./cli/program.ts');
process.exitCode = await main(process.argv.slice(2), undefined, () =>
  setTimeout(() => process.exit(), LAST_HOLD_MS).unref(),
);

/**
 * Without it all code would be compiled at each start. The image brings what `scripts/compile.ts` kept. What is read from
 * there is run: Node's own default is used, but not where other users can write or replace it.
 */
async function keepCompiled(): Promise<void> {
  const { constants, enableCompileCache } = process.getBuiltinModule('node:module');
  // Node has taken the folder that this names.
  if ((process.env['NODE_COMPILE_CACHE'] ?? '') !== '') return;
  const brought = `${import.meta.dirname}/compiled`;
  const { FAILED } = constants.compileCacheStatus;
  // It is of no use to other users than it was made for, and they cannot write there.
  if (isPrivate(brought) && enableCompileCache({ directory: brought, portable: true }).status !== FAILED) return;
  const { tmpdir } = process.getBuiltinModule('node:os');
  const { makePrivateFolder } = await import('./lib/trusted-folder.ts');
  try {
    enableCompileCache(makePrivateFolder(`${tmpdir()}/node-compile-cache`));
  } catch {
    // There is no safe place: it starts a little slower.
  }
}

/** Whether it is there, belongs to this user or root, and nobody else may write it. */
function isPrivate(folder: string): boolean {
  const stats = process.getBuiltinModule('node:fs').lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return false;
  return (stats.uid === 0 || stats.uid === process.geteuid?.()) && (stats.mode & 0o022) === 0;
}

export {};
