import { UsageError } from '../../errors.ts';
import { type JsonValue, parseJson } from '@hooklet/jq';
import { JsonSplitter } from '@hooklet/jq/stream';
import { messageOf } from '../../lib/message-of.ts';

/** Reads a file that an option of jq names, as text; throws `UsageError` when it cannot be read. */
export async function readJqFile(path: string, readFile: (path: string) => Promise<Uint8Array>): Promise<string> {
  try {
    return new TextDecoder().decode(await readFile(path));
  } catch (cause) {
    throw new UsageError(`jq: error: Could not open ${path}: ${fileErrorText(cause)}`, { cause });
  }
}

/** The JSON documents of a file of `--slurpfile`; throws `UsageError`. */
export function parseSlurpFile(text: string, path: string): JsonValue {
  const splitter = new JsonSplitter();
  try {
    return [...splitter.push(text), ...splitter.end()].map((document) =>
      parseJson(document.text, document.firstLine, 'literals'),
    );
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UsageError(`jq: error: Bad JSON in --slurpfile ${path}: ${reason}`, { cause });
  }
}

/** Why a file cannot be read, in the words of jq. */
export function fileErrorText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'No such file or directory';
  return messageOf(error);
}
