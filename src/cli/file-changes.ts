import { statSync, watch } from 'node:fs';
import { UsageError } from '../errors.ts';
import { latch } from '../lib/latch.ts';
import { sleep } from '../lib/sleep.ts';

// Editors write a file in several steps; what comes within this time is one change.
const QUIET_MS = 60;

/** Yields once for every burst of changes below `dir`, from the moment of the call until `signal` aborts. */
export function fileChanges(dir: string, signal: AbortSignal): AsyncIterable<void> {
  const state: State = { pending: latch() };
  const wake = (): void => state.pending.resolve();
  try {
    // A folder that is not there makes itself heard late, and like a file that went.
    statSync(dir);
    const watcher = watch(dir, { recursive: true, signal }, wake);
    watcher.on('error', (error) => {
      // A file that goes while it is looked at is a change like any other.
      if (!isMissing(error)) state.failure = error;
      wake();
    });
  } catch (error) {
    state.failure = error;
    wake();
  }
  signal.addEventListener('abort', wake, { once: true });
  return bursts(dir, state, signal);
}

interface State {
  pending: PromiseWithResolvers<void>;
  failure?: unknown;
}

async function* bursts(dir: string, state: State, signal: AbortSignal): AsyncGenerator<void, void, void> {
  while (!signal.aborted) {
    await state.pending.promise;
    await sleep(QUIET_MS, signal);
    if (signal.aborted) return;
    if (state.failure !== undefined) throw cannotWatch(dir, state.failure);
    state.pending = latch();
    yield;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function cannotWatch(dir: string, cause: unknown): UsageError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UsageError(`the folder ${dir} cannot be watched for changes: ${reason}`, { cause });
}
