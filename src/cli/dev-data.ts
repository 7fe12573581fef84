import { readStateFile, writeStateFile, type Sandbox, type SandboxOptions } from '@hooklet/sandbox';
import { UsageError } from '../errors.ts';
import { sleep } from '../lib/sleep.ts';

const WRITE_INTERVAL_MS = 3000;

/** What the file of `--data` holds, as an option of the sandbox; none where there is no such file yet. */
export function keptState(path: string | undefined): Pick<SandboxOptions, 'state'> {
  if (path === undefined) return {};
  try {
    const state = readStateFile(path);
    return state === undefined ? {} : { state };
  } catch (cause) {
    throw new UsageError(`--data: ${reasonOf(cause)}; move the file away to begin with an empty cluster`, { cause });
  }
}

/** A function that writes what the sandbox holds to the file, if it has changed since the last time. */
export function stateWriter(sandbox: Sandbox, path: string): () => void {
  let written = '';
  return () => {
    const { resourceVersion } = sandbox;
    if (resourceVersion === written) return;
    try {
      writeStateFile(path, sandbox.state);
    } catch (cause) {
      throw new UsageError(`--data: ${path} cannot be written: ${reasonOf(cause)}`, { cause });
    }
    written = resourceVersion;
  };
}

/** Calls `write` at once and every few seconds. */
export async function writeRegularly(write: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    write();
    await sleep(WRITE_INTERVAL_MS, signal);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
