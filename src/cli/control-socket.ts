import { join, resolve } from 'node:path';
import type { ControlSocket } from '../operator/run-operator.ts';
import type { StartOptions } from './options.ts';

const FILE_NAME = 'hooklet.socket';

/** The path of the control socket, for `start` and `schedule`: the given one, else one in the temporary folder. */
export function controlSocketOf({
  debugUnixSocket: named,
  tmpDir,
}: Pick<StartOptions, 'debugUnixSocket' | 'tmpDir'>): ControlSocket {
  return named === ''
    ? { path: resolve(join(tmpDir, FILE_NAME)), isRequired: false }
    : { path: resolve(named), isRequired: true };
}
