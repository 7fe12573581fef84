import { lstatSync, rmSync } from 'node:fs';

const TRIES = 10;

/**
 * Removes a folder and what is in it, also while something else removes parts of it: Node's `rmSync` with `force` stops
 * at a subfolder that vanishes meanwhile, without an error. A path that is not there is removed already. Throws the
 * error of the system where something cannot be removed, or where there is more each time.
 */
export function removeTree(path: string): void {
  for (let count = 1; lstatSync(path, { throwIfNoEntry: false }) !== undefined; count++) {
    if (count > TRIES) throw new Error(`${path} could not be removed in ${TRIES} tries: something makes files in it`);
    rmSync(path, { recursive: true, force: true });
  }
}
