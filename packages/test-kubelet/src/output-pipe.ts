import { execFile } from 'node:child_process';
import { chownSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

/** A named pipe for what a process prints: it can open its `/dev/stdout`, which it cannot with the pipes of Node. */
export interface OutputPipe {
  /** The end to start a process with. */
  readonly fd: number;
  /** What is printed, until the last writer has hung up. */
  readonly output: AsyncIterable<Uint8Array>;
  /** To be called when the process has got its end. */
  handedOver(): void;
}

/** Makes named pipes. */
export async function makePipes(...paths: readonly string[]): Promise<void> {
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
}

/** Opens a named pipe, and lets the user `uid` do so. */
export function openOutputPipe(path: string, uid: number): OutputPipe {
  chownSync(path, uid, -1);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_WRONLY);
  return {
    fd,
    output: new Socket({ fd: reader, readable: true, writable: false }),
    handedOver: () => {
      closeSync(fd);
      rmSync(path, { force: true });
    },
  };
}
