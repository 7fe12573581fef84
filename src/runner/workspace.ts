import { closeSync, openSync, readFileSync, rmSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';

// Up to here one write is cheaper than a way through the thread pool; above, it would hold up everybody.
const SYNC_BYTES = 256 * 1024;
// The system takes 1024 at once.
const PIECES_A_WRITE = 512;
const PRIVATE_FILE = 0o600;
const CONTEXT = 'binding-context.json';
const OUTPUTS = {
  metrics: 'metrics.json',
  patch: 'object-patch',
  admission: 'admission-response.json',
  conversion: 'conversion-response.json',
} as const;
const OUTPUT_NAMES = ['patch', 'metrics', 'admission', 'conversion'] as const;

/** What a hook wrote, as text; empty where it wrote nothing. */
export interface HookOutputs {
  readonly patch: string;
  readonly metrics: string;
  readonly admission: string;
  readonly conversion: string;
}

/** The files of one run. */
export interface Workspace {
  /** The variables that tell the hook where its files are. */
  readonly env: Readonly<Record<string, string>>;
  readOutputs(): HookOutputs;
  remove(): void;
}

/**
 * Writes the binding contexts, given in pieces, and makes the empty files for what the hook has to say, each called
 * `prefix` and what it is. A folder for each run would cost as much again, so they lie in one that nobody else may enter.
 */
export async function openWorkspace(prefix: string, contexts: readonly Uint8Array[]): Promise<Workspace> {
  try {
    for (const name of OUTPUT_NAMES) closeSync(openSync(prefix + OUTPUTS[name], 'wx', PRIVATE_FILE));
    await writeContexts(prefix + CONTEXT, contexts);
  } catch (error) {
    remove(prefix);
    throw error;
  }
  return {
    env: environment(prefix),
    readOutputs: () => ({
      patch: readOutput(prefix, 'patch'),
      metrics: readOutput(prefix, 'metrics'),
      admission: readOutput(prefix, 'admission'),
      conversion: readOutput(prefix, 'conversion'),
    }),
    remove: () => remove(prefix),
  };
}

function environment(prefix: string): Readonly<Record<string, string>> {
  const admission = prefix + OUTPUTS.admission;
  return {
    BINDING_CONTEXT_PATH: prefix + CONTEXT,
    METRICS_PATH: prefix + OUTPUTS.metrics,
    KUBERNETES_PATCH_PATH: prefix + OUTPUTS.patch,
    VALIDATING_RESPONSE_PATH: admission,
    ADMISSION_RESPONSE_PATH: admission,
    CONVERSION_RESPONSE_PATH: prefix + OUTPUTS.conversion,
  };
}

async function writeContexts(path: string, contexts: readonly Uint8Array[]): Promise<void> {
  const size = contexts.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  if (size > SYNC_BYTES) {
    await writeInBackground(path, contexts);
    return;
  }
  const fd = openSync(path, 'wx', PRIVATE_FILE);
  try {
    // On a full disk less is written than was given, and only the next write says why.
    let rest: Uint8Array = Buffer.concat(contexts);
    while (rest.byteLength > 0) rest = rest.subarray(writeSync(fd, rest));
  } finally {
    closeSync(fd);
  }
}

async function writeInBackground(path: string, contexts: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE);
  try {
    for (let at = 0; at < contexts.length; at += PIECES_A_WRITE) {
      // On a full disk less is written than was given, and only the next write says why.
      for (let rest = contexts.slice(at, at + PIECES_A_WRITE); rest.length > 0;) {
        rest = skipBytes(rest, (await file.writev(rest)).bytesWritten);
      }
    }
  } finally {
    await file.close();
  }
}

function skipBytes(pieces: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  let index = 0;
  for (let piece = pieces[0]; piece !== undefined && piece.byteLength <= left; piece = pieces[++index]) {
    left -= piece.byteLength;
  }
  const [first, ...rest] = pieces.slice(index);
  return first === undefined ? [] : [first.subarray(left), ...rest];
}

/** A file the hook deleted says nothing; one that it replaced by something else than a file is an error. */
function readOutput(prefix: string, name: keyof HookOutputs): string {
  const file = prefix + OUTPUTS[name];
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return '';
  // A pipe would be waited for without end.
  if (!stats.isFile()) throw new Error(`${file} is not a file any more`);
  return readFileSync(file, 'utf8');
}

function remove(prefix: string): void {
  removeFile(prefix + CONTEXT);
  for (const name of OUTPUT_NAMES) removeFile(prefix + OUTPUTS[name]);
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The hook deleted it, or put a folder in its place; this is the slower way.
    rmSync(path, { recursive: true, force: true });
  }
}
