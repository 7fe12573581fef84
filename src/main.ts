#!/usr/bin/env node
import { isPrivateFolder, makePrivateFolder } from './lib/trusted-folder.ts';

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

/**
 * Without it all code would be compiled at each start. The image brings what `scripts/compile.ts` kept. What is read from
 * there is run: Node's own default is used, but not where other users can write or replace it.
 */
function keepCompiled(): void {
  const { constants, enableCompileCache } = process.getBuiltinModule('node:module');
  // Node has taken the folder that this names.
  if ((process.env['NODE_COMPILE_CACHE'] ?? '') !== '') return;
  const brought = `${import.meta.dirname}/compiled`;
  const { FAILED } = constants.compileCacheStatus;
  // It is of no use to other users than it was made for, and they cannot write there.
  if (isPrivateFolder(brought) && enableCompileCache({ directory: brought, portable: true }).status !== FAILED) return;
  const { tmpdir } = process.getBuiltinModule('node:os');
  try {
    enableCompileCache(makePrivateFolder(`${tmpdir()}/node-compile-cache`));
  } catch {
    // There is no safe place: it starts a little slower.
  }
}
