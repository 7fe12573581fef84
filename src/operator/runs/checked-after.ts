import type { Executor } from '../../runner/executor.ts';

/**
 * An executor that calls `check` when a hook has ended. A hook may end while this process stands still; the check runs
 * before its output is read, so that nothing is applied of a hook that ran under a lost lease or lock.
 */
export function checkedAfter(executor: Pick<Executor, 'execute'>, check: () => void): Pick<Executor, 'execute'> {
  return { execute: async (request, signal) => executor.execute(request, signal).finally(check) };
}
