import type { RemoteRun } from '../../hook/remote-run.ts';
import type { ExecuteRequest } from '../executor.ts';

/** What a request does not say of its run. */
export interface WorkSetting {
  readonly hookHash: string;
  readonly plainExitCodes?: boolean;
  readonly backgroundLimitMs?: number | undefined;
}

/** What a worker must know of a run that is requested. */
export function factsOfWork(
  { hook, runId, attempt = 1, traceparent, contexts }: ExecuteRequest,
  { hookHash, plainExitCodes = false, backgroundLimitMs }: WorkSetting,
): RemoteRun {
  const { timeoutMs, outcome } = hook.settings;
  return {
    runId,
    attempt,
    hook: hook.name,
    hookHash,
    type: hook.type,
    plainExitCodes,
    contextBytes: contexts.reduce((bytes, chunk) => bytes + chunk.length, 0),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(backgroundLimitMs !== undefined && { backgroundLimitMs }),
    ...(outcome !== undefined && { outcome }),
    ...(traceparent !== undefined && { traceparent }),
  };
}
