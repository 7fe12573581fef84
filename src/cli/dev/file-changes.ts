import { UsageError } from '../../errors.ts';
import { latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import { messageOf } from '../../lib/message-of.ts';
import { FolderTree } from './folder-tree.ts';

// Editors write a file in several steps: changes within this time count as one.
const QUIET_MS = 60;

/** Yields once for every burst of changes below `dir`, from the call until `signal` aborts; throws `UsageError`. */
export function fileChanges(dir: string, signal: AbortSignal): AsyncIterable<void> {
  const state: State = { pending: latch() };
  const wake = (): void => state.pending.resolve();
  const tree = new FolderTree(dir, wake);
  try {
    tree.look();
  } catch (error) {
    state.failure = error;
    wake();
  }
  signal.addEventListener('abort', wake, { once: true });
  return bursts(tree, state, signal);
}

interface State {
  pending: PromiseWithResolvers<void>;
  failure?: unknown;
}

async function* bursts(tree: FolderTree, state: State, signal: AbortSignal): AsyncGenerator<void, void, void> {
  try {
    while (!signal.aborted) {
      await state.pending.promise;
      await sleep(QUIET_MS, signal);
      if (signal.aborted) return;
      if (state.failure !== undefined) throw cannotWatch(tree.dir, state.failure);
      state.pending = latch();
      // Watch before the caller reads the files, so that no later change is lost.
      relook(tree, state);
      yield;
    }
  } finally {
    tree.close();
  }
}

function relook(tree: FolderTree, state: State): void {
  try {
    tree.look();
  } catch (error) {
    state.failure = error;
    state.pending.resolve();
  }
}

function cannotWatch(dir: string, cause: unknown): UsageError {
  const reason = messageOf(cause);
  return new UsageError(`the folder ${dir} cannot be watched for changes: ${reason}`, { cause });
}
