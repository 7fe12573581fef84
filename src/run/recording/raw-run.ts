import type { ExecuteRequest, Execution } from '../../runner/executor.ts';
import { jsonOf, type KeptRecord } from '../kept-records.ts';
import type { RawRun } from './recording-job.ts';
import type { RecordedEnding } from './recording.ts';
import { secretBindings } from './secret-bindings.ts';

/** A run that has ended, before anything in it is masked. Its contexts can be handed over to a thread. */
export interface EndedRaw extends RawRun {
  readonly contexts: Uint8Array<ArrayBuffer>;
}

interface Known {
  readonly request: ExecuteRequest;
  readonly execution: Execution;
  readonly contexts: Uint8Array<ArrayBuffer>;
  /** Of the file of the hook. */
  readonly hash: string | undefined;
  /** The version of hooklet. */
  readonly hooklet: string;
}

/** All of a run that a recording is made of. */
export function rawRunOf(record: KeptRecord, { request, execution, contexts, hash, hooklet }: Known): EndedRaw {
  const { hook, runId, traceparent } = request;
  return {
    id: record.id,
    hooklet,
    record: jsonOf(record),
    hook: { name: hook.name, type: hook.type, ...(hash !== undefined && { hash }) },
    env: { RUN_ID: runId, ...(traceparent !== undefined && { TRACEPARENT: traceparent }) },
    contexts,
    ending: endingOf(execution),
    outputs: { ...execution.outputs },
    redact: hook.settings.redact ?? [],
    secretBindings: secretBindings(hook),
  };
}

/** How the hook itself ended. */
export function endingOf(execution: Execution): RecordedEnding {
  if (execution.type === 'exited') return { type: execution.isLater === true ? 'later' : 'succeeded' };
  const ending = 'ending' in execution.error ? execution.error.ending : undefined;
  return {
    type: 'failed',
    ...(ending?.exitCode !== undefined && { exitCode: ending.exitCode }),
    ...(ending?.signal !== undefined && { signal: ending.signal }),
    ...(ending?.timedOut === true && { timedOut: true }),
  };
}
