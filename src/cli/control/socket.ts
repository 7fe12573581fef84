import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ControlSocket } from '../../operator/control/open-control.ts';
import type { StartOptions } from '../options/options.ts';
import { programName } from '../program/program-name.ts';

const FILE_NAME = 'hooklet.socket';
const PEER_SOCKET = '/var/run/shell-operator/debug.socket';

type SocketOptions = Pick<StartOptions, 'debugUnixSocket' | 'tmpDir'>;

/** What the choice of a path depends on; default: this process and its files. */
export interface SocketPlaces {
  readonly name: 'hooklet' | 'shell-operator';
  readonly peerSocket: string;
}

/**
 * The control socket of `start`: the given one; when the program was called as shell-operator is, that of shell-operator
 * where its folder can be written; else one in the temporary folder.
 */
export function controlSocketOf(options: SocketOptions, places: SocketPlaces = placesNow()): ControlSocket {
  const { debugUnixSocket: named } = options;
  if (named !== '') return { path: resolve(named), isRequired: true };
  const { name, peerSocket } = places;
  const isPeer = name === 'shell-operator' && isWritable(dirname(peerSocket));
  return { path: isPeer ? peerSocket : ownSocket(options), isRequired: false };
}

/** The socket that a command asks: that of `start`, or the other one where only that is there. */
export function askedSocket(options: SocketOptions, places: SocketPlaces = placesNow()): string {
  const { path, isRequired } = controlSocketOf(options, places);
  if (isRequired || existsSync(path)) return path;
  return [ownSocket(options), places.peerSocket].find((other) => existsSync(other)) ?? path;
}

function ownSocket({ tmpDir }: SocketOptions): string {
  return resolve(join(tmpDir, FILE_NAME));
}

/** Whether the folder can be written, or made: by its nearest parent that is there. */
function isWritable(folder: string): boolean {
  if (!existsSync(folder)) return dirname(folder) !== folder && isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

function placesNow(): SocketPlaces {
  return { name: programName(), peerSocket: PEER_SOCKET };
}
