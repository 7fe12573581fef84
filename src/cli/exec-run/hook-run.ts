import type { JobClaim } from '../../hook/job-desk.ts';
import type { Logger } from '../../log.ts';
import { openRunner } from '../../operator/runs/open-runner.ts';
import type { Execution, HookOutput } from '../../runner/executor.ts';
import { hookOf } from '../agent/hook-file.ts';
import { programFile } from '../program/program-file.ts';

export interface HookRunOptions {
  readonly claim: JobClaim;
  readonly hooksDir: string;
  readonly tmpDir: string;
  /** Of the hook. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly contexts: readonly Uint8Array[];
  readonly onOutput: (output: HookOutput) => void;
  readonly log: Logger;
}

/** Runs the hook once, as the operator would; rejects when there is no place for its files. */
export async function runHook(options: HookRunOptions, signal: AbortSignal): Promise<Execution> {
  const { claim, hooksDir, tmpDir, env, contexts, onOutput, log } = options;
  const { runId, attempt, traceparent, plainExitCodes, backgroundLimitMs } = claim;
  await using ends = new AsyncDisposableStack();
  const runner = openRunner(
    {
      hooksDir,
      tmpDir,
      keepTmpFiles: false,
      logProxyHookJson: false,
      plainExitCodes,
      ...(backgroundLimitMs !== undefined && { backgroundLimitMs }),
      env,
      program: { node: process.execPath, program: programFile },
      log,
    },
    ends,
  );
  const request = { hook: hookOf(hooksDir, claim), runId, attempt, contexts, onOutput };
  return await runner.execute({ ...request, ...(traceparent !== undefined && { traceparent }) }, signal);
}
