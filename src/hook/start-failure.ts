import { closeSync, constants, openSync, readSync } from 'node:fs';

/** The error of the system when it could not start a program; `code` such as `ENOENT`. */
export interface StartError {
  readonly code?: string | undefined;
  readonly message: string;
  /** The machine had too little time or room, so that another start may succeed. */
  readonly isShortage?: boolean | undefined;
}

/** What is wrong with the first line of a program; `undefined` when nothing is wrong or the file cannot be read. */
export function explainFirstLine(path: string): string | undefined {
  const head = readHead(path);
  // A compiled program has zero bytes near its beginning, a script never has.
  if (head === undefined || head.includes('\0')) return undefined;
  const line = firstLine(head);
  const shown = JSON.stringify(line);
  if (!line.startsWith('#!')) {
    return `the file has no shebang, expected a first line that names its interpreter such as #!/bin/sh, got ${shown}`;
  }
  return line.endsWith('\r')
    ? `the first line ends with a carriage return (${shown}); save the file with Unix line ends`
    : undefined;
}

/** Explains to the author of a hook why the system could not start the file, and how to fix it. */
export function explainStartFailure(path: string, { code, message }: StartError): string {
  const head = readHead(path);
  if (head === undefined) return `the file cannot be opened (${message}); is it a broken link?`;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied; the file or what it links to needs chmod +x';
    case 'ENOENT':
      return `${interpreterOf(head)} does not exist`;
    case 'ENOEXEC':
      return 'exec format error; it may be a program for another kind of machine';
    case undefined:
    default:
      return message;
  }
}

const HEAD_BYTES = 256;

/**
 * Synchronous: for so few bytes, a round trip through the thread pool takes as long as everything else that loads a
 * hook.
 */
function readHead(path: string): string | undefined {
  try {
    // The path may have become a pipe by now, and opening a pipe would block until there is a writer.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(HEAD_BYTES);
      return buffer.subarray(0, readSync(fd, buffer)).toString('latin1');
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function interpreterOf(head: string): string {
  const [program = ''] = firstLine(head).slice(2).trim().split(/\s/, 1);
  return head.startsWith('#!') ? `the interpreter ${program}` : 'a library or loader that the program needs';
}

function firstLine(head: string): string {
  return head.split('\n', 1)[0] ?? '';
}
