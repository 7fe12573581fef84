import { open } from 'node:fs/promises';

/** What the system said when a program was started; `code` such as `ENOENT`. */
export interface StartError {
  readonly code?: string | undefined;
  readonly message: string;
}

/** Why a file could not be started as a program, in words that say what to do. */
export async function explainStartFailure(path: string, { code, message }: StartError): Promise<string> {
  const head = await readHead(path);
  if (head === undefined) return `--config failed: the file cannot be opened; is it a broken link? (${message})`;
  const hint = explainHead(head);
  return `--config failed: ${explainCode(head, code) ?? (hint === undefined ? message : `${message}; ${hint}`)}`;
}

function explainCode(head: string, code: string | undefined): string | undefined {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied; the file or what it links to needs chmod +x';
    case 'ENOENT':
      return explainHead(head) ?? `${interpreterOf(head)} does not exist`;
    case 'ENOEXEC':
      return `exec format error; ${explainHead(head) ?? 'it may be a program for another kind of machine'}`;
    case undefined:
    default:
      return undefined;
  }
}

/** What is wrong with the first line of a hook that ran and failed; `undefined` when it looks right. */
export async function explainFirstLine(path: string): Promise<string | undefined> {
  const head = await readHead(path);
  return head === undefined ? undefined : explainHead(head);
}

const HEAD_BYTES = 256;

async function readHead(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES) });
    return buffer.subarray(0, bytesRead).toString('latin1');
  } catch {
    return undefined;
  }
}

function explainHead(head: string): string | undefined {
  const [line = ''] = head.split('\n', 1);
  if (line.startsWith('#!')) {
    return line.endsWith('\r')
      ? `the first line ends with a carriage return (${JSON.stringify(line)}); save the file with Unix line ends`
      : undefined;
  }
  // A program begins with bytes that no script has.
  if (head.includes('\0')) return undefined;
  return `the file has no shebang; its first line must name its interpreter, such as #!/bin/sh, but is ${JSON.stringify(line)}`;
}

function interpreterOf(head: string): string {
  const [line = ''] = head.split('\n', 1);
  const [program = ''] = line.slice(2).trim().split(/\s/, 1);
  return line.startsWith('#!') ? `the interpreter ${program}` : 'a library or loader the program needs';
}
