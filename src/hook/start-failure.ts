import { closeSync, constants, openSync, readSync } from 'node:fs';

/** What the system said when a program was started; `code` such as `ENOENT`. */
export interface StartError {
  readonly code?: string | undefined;
  readonly message: string;
}

/** What is wrong with the first line of a program; `undefined` when nothing is, or when it cannot be read. */
export function explainFirstLine(path: string): string | undefined {
  const head = readHead(path);
  // A compiled program begins with bytes that no script has.
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

/** Why a file could not be started as a program, in words that say what to do. */
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

/** At once: it is done for every hook at the start, and through the thread pool takes as long as all else for a hook. */
function readHead(path: string): string | undefined {
  try {
    // A pipe, should it have become one, would be waited for.
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
