import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { UsageError } from '../../errors.ts';
import { discoverFile, type HookFile } from '../../hook/discover.ts';
import { openRunner } from '../../operator/runs/open-runner.ts';
import { createOutputLog, type OutputLog } from '../../runner/output-log.ts';
import type { Runner } from '../../runner/runner.ts';
import { startOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve.ts';
import { programFile } from '../program/program-file.ts';
import { openLog } from '../options/open-log.ts';
import { removeTree } from '../../lib/remove-tree.ts';

/** Applies the rules of discovery to the file; throws `UsageError` with the reason when it is not a hook. */
export function findHook(path: string): HookFile {
  const found = discoverFile(path);
  if ('message' in found) throw new UsageError(`${path} is not a hook: ${found.message}`);
  return { ...found, name: relative(process.cwd(), found.path) || basename(found.path) };
}

/** A signal that never aborts. */
export const NEVER: AbortSignal = new AbortController().signal;

/** What runs hooks for a command without an operator. */
export interface LocalRunner {
  readonly runner: Runner;
  readonly outputLog: OutputLog;
}

/**
 * Opens a runner for a command without an operator; `write` takes its log, default: standard output. `env` is that of the
 * hooks.
 */
export function openLocalRunner(
  hooksDir: string,
  ends: AsyncDisposableStack,
  write?: (line: string) => void,
  env: NodeJS.ProcessEnv = process.env,
): LocalRunner {
  // A folder of its own, because the default one may belong to another user of the machine.
  const tmpDir = mkdtempSync(join(tmpdir(), 'hooklet-'));
  ends.defer(() => removeTree(tmpDir));
  const options = resolveOptions(startOptions, { logFormat: 'text', tmpDir }, process.env);
  const log = openLog(options, 'text', write);
  const program = { node: process.execPath, program: programFile };
  const runner = openRunner({ ...options, hooksDir, env, program, log }, ends);
  return { runner, outputLog: createOutputLog({ ...options, log }) };
}
