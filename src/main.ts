#!/usr/bin/env node
const OLDEST_NODE = 24;

const { node } = process.versions;
if (Number.parseInt(node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `hooklet: needs Node ${OLDEST_NODE} or later, this is ${node}; put a newer one first on the PATH\n`,
  );
  process.exit(2);
}
process.getBuiltinModule('node:module').enableCompileCache();
// Only now: an older Node does not have all that is named there.
const { main } = await import('./cli/program.ts');
process.exitCode = await main(process.argv.slice(2));

export {};
