import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Reads a file as text; throws for what is no file, such as a pipe to which nobody writes. */
export function readRegular(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`${path} is no file`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
