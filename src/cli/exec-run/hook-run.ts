import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Hook } from '../../hook/binding.ts';
import type { JobClaim } from '../../hook/job-desk.ts';
import { messageOf } from '../../lib/message-of.ts';
import { shown } from '../../lib/shown.ts';
import type { Logger } from '../../log.ts';
import { openRunner } from '../../operator/runs/open-runner.ts';
import type { Execution, HookOutput } from '../../runner/executor.ts';
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

/** Why the file of the hook must not be run; undefined where it is the one that the operator has. */
export async function flawOfHook(hooksDir: string, { hook, hookHash }: JobClaim): Promise<string | undefined> {
  const path = pathOf(hooksDir, hook);
  if (path === undefined) return `the hook ${shown(hook)} is not in the folder ${hooksDir} of the Job`;
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    return `the image of the Job has no hook ${hook} in ${hooksDir} (${messageOf(error)}): it must have the hooks of the operator's image`;
  }
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (hash === hookHash) return undefined;
  return `the image of the Job has another version of the hook ${hook} than the operator's (SHA-256 ${hash}, expected ${hookHash}): both must be built from the same hooks`;
}

function pathOf(hooksDir: string, hook: string): string | undefined {
  const folder = resolve(hooksDir);
  const path = resolve(folder, hook);
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`) ? path : undefined;
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
  const request = { hook: hookOf(claim, resolve(hooksDir, claim.hook)), runId, attempt, contexts, onOutput };
  return await runner.execute({ ...request, ...(traceparent !== undefined && { traceparent }) }, signal);
}

/** What of a hook matters to its execution. */
function hookOf({ hook: name, type, timeoutMs, outcome }: JobClaim, path: string): Hook {
  const settings = { ...(timeoutMs !== undefined && { timeoutMs }), ...(outcome && { outcome }) };
  return { name, path, type, bindings: [], settings };
}
