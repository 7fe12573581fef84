import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from '../../errors.ts';
import { readAll } from '../run/object-input.ts';
import { HEADER, printTypes } from './crd/print-types.ts';
import { readCrds, type CrdFile } from './crd/read-crds.ts';
import { messageOf } from '../../lib/message-of.ts';

export interface TypesFlags {
  readonly out?: string;
}

const MAX_BYTES = 32 * 1024 * 1024;

/** `hooklet types`: resolves to the exit code; rejects with `UsageError`. */
export async function typesCommand(files: readonly string[], { out }: TypesFlags): Promise<number> {
  const read: CrdFile[] = [];
  for (const file of files) read.push(await readFile(file));
  const text = printTypes(readCrds(read));
  if (out === undefined) process.stdout.write(text);
  else writeOwn(out, text);
  return 0;
}

async function readFile(name: string): Promise<CrdFile> {
  if (name === '-') {
    return {
      name: 'standard input',
      text: await readAll(process.stdin, { source: 'types: standard input', max: MAX_BYTES }),
    };
  }
  try {
    const stats = statSync(name);
    if (!stats.isFile()) throw new Error('not a file');
    if (stats.size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    return { name, text: readFileSync(name, 'utf8') };
  } catch (cause) {
    throw new UsageError(`types: ${name} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Writes the file at once as a whole; replaces only what this command has written. */
function writeOwn(path: string, text: string): void {
  const fresh = `${path}.${process.pid}.new`;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && !(stats.isFile() && readFileSync(path, 'utf8').startsWith(HEADER))) {
      throw new Error('it is there, and was not written by hooklet types');
    }
    writeFileSync(fresh, text, { flag: 'wx' });
    renameSync(fresh, path);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw new UsageError(`--out: ${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
