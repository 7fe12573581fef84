import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { HookConfigError, UsageError } from '../errors.ts';
import { describeMetric, describeOperation } from '../effects/describe-operation.ts';
import { parseMetrics } from '../effects/parse-metrics.ts';
import { parseOperations } from '../effects/parse-operations.ts';
import type { Hook } from '../hook/binding.ts';
import { discoverFile, type HookFile } from '../hook/discover.ts';
import { loadHook } from '../hook/load.ts';
import { printable } from '../lib/printable.ts';
import { unreachable } from '../lib/unreachable.ts';
import { checkFilter } from '../units/filter-check.ts';
import { openRunner } from '../operator/open-runner.ts';
import { createOutputLog, type OutputLog } from '../runner/output-log.ts';
import type { Runner } from '../runner/runner.ts';
import { runCheck, type ConfigReader } from './check.ts';
import { checkGithub } from './check-github.ts';
import { checkJunit } from './check-junit.ts';
import { isPassed, type CheckReport } from './check-report.ts';
import { checkText } from './check-text.ts';
import { openLog } from './start.ts';
import { resolveOptions, startOptions } from './options.ts';
import { checkFormat } from './output-format.ts';
import { programFile } from './program-file.ts';
import { parseObjects } from './object-input.ts';
import { readInput, runOnce, type DescribedOutput } from './run.ts';
import { makeContexts, type MadeContexts } from './run-event.ts';
import { givenObjects } from './run-object.ts';
import { shutdownSignal } from './shutdown.ts';

export interface CheckFlags {
  readonly output?: string;
  readonly allowSkipped?: boolean;
}

/** `hooklet check`: resolves to the exit code. */
export async function checkCommand(paths: readonly string[], flags: CheckFlags): Promise<number> {
  const format = checkFormat(flags.output);
  const { hooksDir } = resolveOptions(startOptions, {}, process.env);
  const report = await runCheck(paths.length === 0 ? [hooksDir] : paths, {
    openReader: openConfigReader,
    checkFilter,
    allowSkipped: flags.allowSkipped === true,
    now: Date.now,
    cwd: process.cwd(),
  });
  process.stdout.write(printable(checkOutput(report, format)));
  return isPassed(report) ? 0 : 1;
}

function checkOutput(report: CheckReport, format: ReturnType<typeof checkFormat>): string {
  switch (format) {
    case 'text':
      return checkText(report);
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case 'github':
      return checkGithub(report);
    case 'junit':
      return checkJunit(report);
    default:
      return unreachable(format);
  }
}

function openConfigReader(root: string): ConfigReader {
  const ends = new AsyncDisposableStack();
  const { runner } = openLocalRunner(root, ends);
  return {
    readConfig: async (file) => runner.readConfig(file, NEVER),
    [Symbol.asyncDispose]: async () => ends.disposeAsync(),
  };
}

export interface RunFlags {
  readonly context?: string;
  readonly event?: string;
  readonly object?: string;
  readonly binding?: string;
}

/** `hooklet run`: runs the hook in the file `path` once; resolves to the exit code. */
export async function runCommand(path: string, flags: RunFlags): Promise<number> {
  checkRunFlags(flags);
  await using ends = new AsyncDisposableStack();
  const file = findHook(path);
  const signal = shutdownSignal(() => {});
  const given = await readGiven(flags);
  const { runner, outputLog } = openLocalRunner(dirname(file.path), ends);
  const hook = await loadHook(file, { readConfig: async (one) => runner.readConfig(one, signal), checkFilter });
  if (hook instanceof HookConfigError) throw hook;
  const write = (text: string): void => void process.stdout.write(printable(text));
  const { context, warnings } = contextsOf(hook, flags, given);
  for (const warning of warnings) write(`warning: ${warning}\n`);
  const checkJq = (expression: string): string | undefined => checkFilter({ type: 'jq', expression });
  await runOnce({
    executor: runner,
    hook,
    context,
    onOutput: (output) => outputLog.output({ hook: hook.name }, output),
    describeOperations: (text) => described(parseOperations(text, checkJq), describeOperation),
    describeMetrics: (text) => described(parseMetrics(text), describeMetric),
    write,
    signal,
  });
  return 0;
}

function checkRunFlags({ context, event, object, binding }: RunFlags): void {
  if ((context === undefined) === (event === undefined)) {
    throw new UsageError('run: give it one of --context FILE and --event NAME');
  }
  if (event === undefined && (object !== undefined || binding !== undefined)) {
    throw new UsageError('run: --object and --binding say more of an --event, and there is none');
  }
}

/** Reads the file of `--context` or `--object`. */
async function readGiven({ context, object }: RunFlags): Promise<string> {
  if (context !== undefined) return readInput('--context', context, process.stdin);
  return object === undefined ? '' : readInput('--object', object, process.stdin);
}

function contextsOf(hook: Hook, { event, binding, object }: RunFlags, given: string): MadeContexts {
  if (event === undefined) return { context: given, warnings: [] };
  const objects = givenObjects(object === undefined ? [] : parseObjects(given, `--object ${object}`));
  return makeContexts(hook, { event, objects, ...(binding !== undefined && { binding }) }, Date.now());
}

function described<T>(
  { operations, warnings }: { readonly operations: readonly T[]; readonly warnings: readonly string[] },
  describe: (operation: T) => string,
): DescribedOutput {
  return { operations: operations.map(describe), warnings };
}

/** Applies the rules of discovery to the file; throws `UsageError` with the reason when it is not a hook. */
function findHook(path: string): HookFile {
  const found = discoverFile(path);
  if ('message' in found) throw new UsageError(`${path} is not a hook: ${found.message}`);
  return { ...found, name: relative(process.cwd(), found.path) || basename(found.path) };
}

/** Opens a runner for a command without an operator. */
const NEVER = new AbortController().signal;

interface LocalRunner {
  readonly runner: Runner;
  readonly outputLog: OutputLog;
}

function openLocalRunner(hooksDir: string, ends: AsyncDisposableStack): LocalRunner {
  // A folder of its own, because the default one may belong to another user of the machine.
  const tmpDir = mkdtempSync(join(tmpdir(), 'hooklet-'));
  ends.defer(() => rmSync(tmpDir, { recursive: true, force: true }));
  const options = resolveOptions(startOptions, { logFormat: 'text', tmpDir }, process.env);
  const log = openLog(options, 'text');
  const program = { node: process.execPath, program: programFile };
  const runner = openRunner({ ...options, hooksDir, env: process.env, program, log }, ends);
  return { runner, outputLog: createOutputLog({ ...options, log }) };
}
