import { writeSync } from 'node:fs';

const PAUSE_MS = 5;

/**
 * Writes to a file descriptor, each text wholly before it returns, so that nothing is lost at exit; waits for whoever
 * reads slowly. What cannot be written, to a pipe without a reader or a full disk, is dropped.
 */
export function lineOutput(fd: number): (text: string) => void {
  const waited = new Int32Array(new SharedArrayBuffer(4));
  return (text) => {
    let rest = Buffer.from(text);
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
        if (!isFull) return;
        Atomics.wait(waited, 0, 0, PAUSE_MS);
      }
    }
  };
}
