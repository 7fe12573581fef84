import { availableParallelism } from 'node:os';
import { HookletError, UsageError } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import { openWorlds } from '../../scenario/open-worlds.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { runStories, type ToldStory } from '../../scenario/story/run-stories.ts';
import { shutdownSignal } from '../shutdown.ts';
import { readStories } from '../test/read-stories.ts';

/** The stories were not played to their end as their files say, so that what the hooks need is not known. */
class FailedScenariosError extends HookletError {
  override readonly name = 'FailedScenariosError';
  readonly code = 'ERR_SCENARIO';
  readonly isRetryable = false;
}

/** The stories at these paths; throws one `UsageError` with all that is wrong with them. */
export async function storiesAt(paths: readonly string[]): Promise<readonly Scenario[]> {
  const { scenarios, problems } = await readStories(paths);
  const lines = problems.map(
    ({ file, line, path, message }) => `${file}:${line}: ${path === '' ? '' : `${path}: `}${message}`,
  );
  if (lines.length > 0) throw new UsageError(`--scenarios: ${lines.join('\n')}`);
  return scenarios;
}

/** Runs the stories undisturbed; rejects with all that failed, for what they would have done later is not known. */
export async function tellStories(scenarios: readonly Scenario[]): Promise<readonly ToldStory[]> {
  const signal = shutdownSignal(() => {});
  const jobs = availableParallelism();
  await using worlds = openWorlds({ processes: jobs });
  const told = await abortable(
    runStories(scenarios, {
      worlds,
      signal,
      jobs,
      isBail: false,
      isWhole: true,
      nowMs: () => performance.now(),
      perturbing: () => undefined,
      onResult: () => {},
    }),
    signal,
  ).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
    throw new FailedScenariosError('--scenarios: it was interrupted, so that what the hooks need is not known', {
      cause,
    });
  });
  const stories = told.filter((story) => story !== undefined);
  const failed = stories.flatMap(({ scenario: { file }, failures }) =>
    failures.slice(0, 1).map(({ line, where, message }) => `${file}:${line}: ${where}: ${message}`),
  );
  if (failed.length === 0) return stories;
  throw new FailedScenariosError(`${failed.join('\n')}\n--scenarios: repair them first, see hooklet test`);
}
