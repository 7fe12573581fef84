import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

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

/** The files of one run, in a folder nobody else may enter. */
export interface Workspace {
  readonly path: string;
  /** The variables that tell the hook where its files are. */
  readonly env: Readonly<Record<string, string>>;
  readOutputs(): HookOutputs;
  remove(): void;
}

/** Writes the binding contexts, given in pieces, and makes the empty files for what the hook has to say. */
export async function openWorkspace(path: string, contexts: readonly Uint8Array[]): Promise<Workspace> {
  mkdirSync(path, { mode: 0o700 });
  try {
    for (const name of OUTPUT_NAMES) closeSync(openSync(join(path, OUTPUTS[name]), 'wx', PRIVATE_FILE));
    await writeContexts(join(path, CONTEXT), contexts);
  } catch (error) {
    remove(path);
    throw error;
  }
  return {
    path,
    env: environment(path),
    readOutputs: () => ({
      patch: readOutput(path, 'patch'),
      metrics: readOutput(path, 'metrics'),
      admission: readOutput(path, 'admission'),
      conversion: readOutput(path, 'conversion'),
    }),
    remove: () => remove(path),
  };
}

function environment(path: string): Readonly<Record<string, string>> {
  const admission = join(path, OUTPUTS.admission);
  return {
    BINDING_CONTEXT_PATH: join(path, CONTEXT),
    METRICS_PATH: join(path, OUTPUTS.metrics),
    KUBERNETES_PATCH_PATH: join(path, OUTPUTS.patch),
    VALIDATING_RESPONSE_PATH: admission,
    ADMISSION_RESPONSE_PATH: admission,
    CONVERSION_RESPONSE_PATH: join(path, OUTPUTS.conversion),
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
  return pieces.flatMap((piece) => {
    const skipped = Math.min(left, piece.byteLength);
    left -= skipped;
    return skipped === piece.byteLength ? [] : [piece.subarray(skipped)];
  });
}

/** A file the hook deleted says nothing; one that it replaced by something else than a file is an error. */
function readOutput(path: string, name: keyof HookOutputs): string {
  const file = join(path, OUTPUTS[name]);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isFile() && stats.size === 0)) return '';
  // A pipe would be waited for without end.
  if (!stats.isFile()) throw new Error(`${OUTPUTS[name]} is not a file any more`);
  return readFileSync(file, 'utf8');
}

function remove(path: string): void {
  try {
    for (const name of [CONTEXT, ...OUTPUT_NAMES.map((output) => OUTPUTS[output])]) unlinkSync(join(path, name));
    rmdirSync(path);
  } catch {
    // The hook deleted a file or left others; this is the slower way.
    rmSync(path, { recursive: true, force: true });
  }
}
