import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultOutcome } from '../../src/hook/result.ts';
import { writeProgram } from '../../src/operator/runs/program-link.ts';
import { saidOutcome } from '../../src/run/classify.ts';
import type { Execution } from '../../src/runner/executor.ts';
import type { HookOutputs } from '../../src/runner/workspace.ts';
import { builtMain } from './built-program.ts';
import { hookRig, never, temporaryFolder } from './hook-rig.ts';

export interface ScriptResult extends Pick<HookOutputs, 'patch' | 'metrics' | 'result' | 'admission' | 'conversion'> {
  /** What its exit code says. */
  readonly outcome: ResultOutcome;
  /** Its output, by line. */
  readonly printed: readonly unknown[];
  /** Why the run failed. */
  readonly failure?: string;
}

export interface ScriptRun {
  /** The binding contexts. */
  readonly contexts: readonly unknown[];
  readonly env?: Readonly<Record<string, string>>;
  /** Scripts by name that come first on the PATH; the `hooklet` that they may replace is `$HOOKLET`. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** Runs one executable hook once through the runner, with `hooklet` on its PATH and without a cluster. */
export async function runScript(path: string, { contexts, env = {}, programs = {} }: ScriptRun): Promise<ScriptResult> {
  using tmp = temporaryFolder();
  const binDir = writeProgram(tmp.path, { node: process.execPath, program: builtMain() });
  const firstDir = join(tmp.path, 'first');
  mkdirSync(firstDir);
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(firstDir, name), text, { mode: 0o755 });
  const lastDir = join(tmp.path, 'last');
  mkdirSync(lastDir);
  // What an image has and this machine may not have.
  writeFileSync(join(lastDir, 'jq'), '#!/bin/sh\nexec "$HOOKLET" jq "$@"\n', { mode: 0o755 });
  const searchPath = [firstDir, binDir, env['PATH'] ?? `${process.env['PATH'] ?? ''}:${lastDir}`].join(':');
  const hookEnv = { ...process.env, ...env, PATH: searchPath, HOOKLET: join(binDir, 'hooklet') };
  await using rig = hookRig({ env: hookEnv, spawnerOptions: { env: hookEnv } });
  const hook = { name: 'hook.sh', path, type: 'process', bindings: [], settings: {} } as const;
  const request = { hook, contexts: [Buffer.from(JSON.stringify(contexts))] };
  const execution = await rig.execute(request, never);
  const outputs = { patch: '', metrics: '', result: '', admission: '', conversion: '', ...execution.outputs };
  return { printed: rig.output(), ...outputs, ...endingOf(execution) };
}

function endingOf(execution: Execution): Pick<ScriptResult, 'outcome' | 'failure'> {
  const outcome = saidOutcome(execution, undefined);
  return execution.type === 'failed' ? { outcome, failure: execution.error.message } : { outcome };
}

/** Reads the config of an executable hook, as the operator does. */
export async function readScriptConfig(path: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  await using rig = hookRig({ spawnerOptions: { env: { ...process.env, ...env } } });
  const { stdout } = await rig.runner.readConfig({ name: 'hook.sh', path, type: 'process' }, never);
  return stdout;
}
