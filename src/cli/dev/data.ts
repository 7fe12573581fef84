import { readStateFile, writeStateFile, type Sandbox, type SandboxOptions } from '@hooklet/sandbox';
import { UsageError } from '../../errors.ts';
import { sleep } from '../../lib/sleep.ts';
import { messageOf } from '../../lib/message-of.ts';

const WRITE_INTERVAL_MS = 3000;

/**
 * The state in the file of `--data`, as an option of the sandbox; empty when the file does not exist yet. Throws
 * `UsageError`.
 */
export function persistedState(path: string | undefined): Pick<SandboxOptions, 'state'> {
  if (path === undefined) return {};
  try {
    const state = readStateFile(path);
    return state === undefined ? {} : { state };
  } catch (cause) {
    throw new UsageError(`--data: ${messageOf(cause)}; move the file away to start with an empty cluster`, { cause });
  }
}

/**
 * Returns a function that writes the state of the sandbox to the file if it changed since the last call. Throws
 * `UsageError`.
 */
export function stateWriter(sandbox: Sandbox, path: string): () => void {
  let written = '';
  return () => {
    const { resourceVersion } = sandbox;
    if (resourceVersion === written) return;
    try {
      writeStateFile(path, sandbox.state);
    } catch (cause) {
      throw new UsageError(`--data: ${path} cannot be written: ${messageOf(cause)}`, { cause });
    }
    written = resourceVersion;
  };
}

/** Calls `write` now and every 3 s until `signal` aborts. */
export async function writeRegularly(write: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    write();
    await sleep(WRITE_INTERVAL_MS, signal);
  }
}
