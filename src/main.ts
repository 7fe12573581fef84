#!/usr/bin/env node
const OLDEST_NODE = 24;

const { node } = process.versions;
if (Number.parseInt(node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `hooklet: needs Node ${OLDEST_NODE} or later, this is ${node}; put a newer one first on the PATH\n`,
  );
  process.exit(2);
}
keepCompiled();
// Only now: an older Node does not have all that is named there.
const { main } = await import('./cli/program.ts');
process.exitCode = await main(process.argv.slice(2));

/** Without it all code would be compiled at each start. The image brings what `scripts/compile.ts` kept. */
function keepCompiled(): void {
  const { constants, enableCompileCache } = process.getBuiltinModule('node:module');
  const directory = `${import.meta.dirname}/compiled`;
  const isThere = process.getBuiltinModule('node:fs').existsSync(directory);
  const { FAILED } = constants.compileCacheStatus;
  // It is of no use to other users than it was made for, and they cannot write there: it goes into the temporary folder.
  if (!isThere || enableCompileCache({ directory, portable: true }).status === FAILED) enableCompileCache();
}

export {};
