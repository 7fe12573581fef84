import { randomUUID } from 'node:crypto';
import { UsageError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import { printable } from '../lib/printable.ts';
import { unreachable } from '../lib/unreachable.ts';
import { checkFilter } from '../units/filter-check.ts';
import { unmarked } from './run/answered.ts';
import { runCheck, type ConfigReader } from './check/check.ts';
import { checkGithub } from './check/github.ts';
import { checkJunit } from './check/junit.ts';
import { isPassed, type CheckReport } from './check/report.ts';
import { checkText } from './check/text.ts';
import { objectYaml } from './run/children-text.ts';
import { localRunNote } from '../hook/describe-executor.ts';
import { openLocalHook } from './run/local-hook.ts';
import { findHook, NEVER, openLocalRunner } from './run/local-runner.ts';
import { startOptions } from './options/options.ts';
import { resolveOptions } from './options/resolve.ts';
import { checkFormat } from './options/output-format.ts';
import { parseObjects } from './run/object-input.ts';
import { readInput } from './run/run.ts';
import { makeContexts, type MadeContexts } from './run/event.ts';
import { givenObjects } from './run/object.ts';

export interface CheckFlags {
  readonly output?: string;
  readonly allowSkipped?: boolean;
  readonly shards?: boolean;
}

/** `hooklet check`: resolves to the exit code. */
export async function checkCommand(paths: readonly string[], flags: CheckFlags): Promise<number> {
  const format = checkFormat(flags.output);
  const { hooksDir } = resolveOptions(startOptions, {}, process.env);
  const report = await runCheck(paths.length === 0 ? [hooksDir] : paths, {
    openReader: openConfigReader,
    checkFilter,
    allowSkipped: flags.allowSkipped === true,
    isSharded: flags.shards === true,
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
  const file = findHook(path);
  await using ends = new AsyncDisposableStack();
  const given = await readGiven(flags);
  const { hook, run } = await openLocalHook(file, ends);
  const { executor } = hook.settings;
  if (executor !== undefined) process.stderr.write(printable(`hooklet: ${localRunNote(executor)}\n`));
  const write = (text: string): void => void process.stdout.write(printable(text));
  const runId = randomUUID();
  const { context, warnings } = contextsOf(hook, { ...flags, runId }, given);
  for (const warning of warnings) write(`warning: ${warning}\n`);
  const answers = await run({ context, runId, write });
  for (const { object } of answers.flatMap(({ wanted }) => wanted)) write(`---\n${objectYaml(unmarked(object))}`);
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

function contextsOf(
  hook: Hook,
  { event, binding, object, runId }: RunFlags & { readonly runId: string },
  given: string,
): MadeContexts {
  if (event === undefined) return { context: given, warnings: [] };
  const objects = givenObjects(object === undefined ? [] : parseObjects(given, `--object ${object}`));
  return makeContexts(hook, { event, objects, runId, ...(binding !== undefined && { binding }) }, Date.now());
}
