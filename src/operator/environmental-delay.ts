import { HookFailedError, KubeError, PatchError } from '../errors.ts';

const FIRST_MS = 500;
const MAX_MS = 2000;

/**
 * How long to wait before a run is repeated that did not fail by its hook: the process that ran it was lost, its files
 * could not be written, or the API server did not take its patches. Undefined where the hook is to blame.
 */
export function environmentalDelayMs(error: unknown, failures: number): number | undefined {
  if (error instanceof HookFailedError) return error.isEnvironmental ? growing(failures) : undefined;
  if (!(error instanceof PatchError) || !(error.cause instanceof KubeError)) return undefined;
  const { status, retryAfterMs } = error.cause;
  // What the server refuses, it refuses again.
  const isUnwell = status === 0 || status === 429 || status >= 500;
  return isUnwell ? Math.max(retryAfterMs ?? 0, growing(failures)) : undefined;
}

/** Short, so that the hook hears of it within 3 s when all is well again. */
function growing(failures: number): number {
  return Math.min(FIRST_MS * 2 ** failures, MAX_MS);
}
