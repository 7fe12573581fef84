import { existsSync } from 'node:fs';
import { explainFirstLine } from '../hook/start-failure.ts';
import { isExecutable } from '../lib/file-kind.ts';
import type { StartError } from './spawner-protocol.ts';

/** Explains why a hook could not be started; looks at the file when the error of the system is not specific enough. */
export function explainStartError(path: string, { code, message }: StartError): string {
  if (code !== '' && !existsSync(path)) return `the file ${path} does not exist`;
  switch (code) {
    case 'EACCES':
      return isExecutable(path) ? message : `${path} is not executable, chmod +x is required`;
    case 'ENOENT':
      return explainFirstLine(path) ?? `the interpreter in the first line of ${path} does not exist`;
    case 'ENOEXEC':
      return explainFirstLine(path) ?? `exec format error: ${path} may be a program for another kind of machine`;
    default:
      return message;
  }
}
