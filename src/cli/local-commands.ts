import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { HookConfigError, UsageError } from '../errors.ts';
import { describeMetric, describeOperation } from '../effects/describe-operation.ts';
import { parseMetrics } from '../effects/parse-metrics.ts';
import { parseOperations } from '../effects/parse-operations.ts';
import { discoverHooks, type HookFile } from '../hook/discover.ts';
import { loadHook } from '../hook/load.ts';
import { printable } from '../lib/printable.ts';
import { checkFilter } from '../operator/filter-check.ts';
import { openRunner } from '../operator/open-runner.ts';
import type { Runner } from '../runner/runner.ts';
import { runCheck } from './check.ts';
import { openLog } from './start.ts';
import { resolveOptions, startOptions } from './options.ts';
import { programFile } from './program-file.ts';
import { readContext, runOnce, type DescribedOutput } from './run.ts';
import { shutdownSignal } from './shutdown.ts';

/** `hooklet check`: resolves to the exit code. */
export async function checkCommand(given: string | undefined): Promise<number> {
  const { hooksDir } = resolveOptions(startOptions, { hooksDir: given }, process.env);
  await using ends = new AsyncDisposableStack();
  const runner = openLocalRunner(hooksDir, ends);
  return await runCheck(hooksDir, {
    readConfig: async (file) => runner.readConfig(file),
    checkFilter,
    now: Date.now,
    write: (text) => process.stdout.write(printable(text)),
  });
}

/** `hooklet run`: runs the hook in the file `path` once; resolves to the exit code. */
export async function runCommand(path: string, contextSource: string): Promise<number> {
  await using ends = new AsyncDisposableStack();
  const file = await findHook(path);
  const signal = shutdownSignal(() => {});
  const context = await readContext(contextSource, process.stdin);
  const runner = openLocalRunner(dirname(file.path), ends);
  const hook = await loadHook(file, { readConfig: async (one) => runner.readConfig(one), checkFilter });
  if (hook instanceof HookConfigError) throw hook;
  const checkJq = (expression: string): string | undefined => checkFilter({ type: 'jq', expression });
  await runOnce({
    runner,
    hook,
    context,
    describeOperations: (text) => described(parseOperations(text, checkJq), describeOperation),
    describeMetrics: (text) => described(parseMetrics(text), describeMetric),
    write: (text) => process.stdout.write(printable(text)),
    signal,
  });
  return 0;
}

function described<T>(
  { operations, warnings }: { readonly operations: readonly T[]; readonly warnings: readonly string[] },
  describe: (operation: T) => string,
): DescribedOutput {
  return { operations: operations.map(describe), warnings };
}

/** Finds the hook as discovery would, so that a file that is none says why. */
async function findHook(path: string): Promise<HookFile> {
  const absolute = resolve(path);
  const { files, warnings } = await discoverHooks(dirname(absolute));
  const found = files.find((file) => file.path === absolute);
  if (found !== undefined) return { ...found, name: relative(process.cwd(), absolute) || basename(absolute) };
  const warning = warnings.find((one) => one.path === absolute);
  throw new UsageError(
    `${path} is not a hook: ${warning?.message ?? 'no such file, or one that discovery leaves out'}`,
  );
}

/** A runner without an operator around it. */
function openLocalRunner(hooksDir: string, ends: AsyncDisposableStack): Runner {
  // Of its own, because the usual one may belong to another user of the machine.
  const tmpDir = mkdtempSync(join(tmpdir(), 'hooklet-'));
  ends.defer(() => rmSync(tmpDir, { recursive: true, force: true }));
  const options = resolveOptions(startOptions, { logFormat: 'text', tmpDir }, process.env);
  const log = openLog(options, 'text');
  const program = { node: process.execPath, program: programFile };
  return openRunner({ ...options, hooksDir, env: process.env, program, log }, ends);
}
