import { execFile } from 'node:child_process';
import { chownSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

/**
 * A named pipe for the output of a process. The process can open its `/dev/stdout`, which is not possible with the
 * pipes of Node.
 */
export interface OutputPipe {
  /** The end with which the process is started. */
  readonly fd: number;
  /** The output, until the last writer has closed the pipe. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Must be called when the process has inherited its end. */
  handedOver(): void;
}

/** Makes named pipes. */
export async function makePipes(...paths: readonly string[]): Promise<void> {
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
}

/** Opens a named pipe, and allows the user `uid` to open it. */
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
