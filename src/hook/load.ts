import { HookConfigError, type HookConfigOutput, type Issue } from '../errors.ts';
import { shownText } from '../lib/shown.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Hook } from './binding.ts';
import { checkExecutor } from './config-executor.ts';
import type { Place } from './config-reader.ts';
import { parseConfig, type ParsedConfig } from './config.ts';
import type { CheckFilter } from './config-kubernetes.ts';
import type { HookFile } from './discover.ts';
import { environmentProblems, environmentReason } from './environment-problems.ts';
import { EXECUTORS_FILE } from './executors-file.ts';
import { explainStartFailure, explainFirstLine, type StartError } from './start-failure.ts';

/**
 * Loading: runs `hook --config` for each discovered file, eight at a time by default, and parses what it printed.
 * Called at the start, at every reload, and by `hooklet check` and `run`. A file becomes a `Hook` or a
 * `HookConfigError`.
 *
 * What must hold: one broken hook never affects the others, so nothing here rejects because of a hook: a failed start,
 * a timeout, a non-zero exit code, an unreadable config, and even an exception in the parser become the
 * `HookConfigError` of that hook, with everything its author needs to fix it.
 */

/** How `hook --config` ended. */
export interface ConfigRun {
  /** Absent when the hook did not start or was killed by a signal. */
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  /** The hook exceeded `CONFIG_LIMIT_MS` and was killed. */
  readonly timedOut?: boolean | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /**
   * Why the hook could not be started, or was given up; `code` is that of the system, such as `ENOENT`, empty or absent
   * when there is none.
   */
  readonly startError?: StartError | undefined;
}

export interface LoadOptions {
  /** Runs `hook --config`; a rejection counts as a failure to start. */
  readonly readConfig: (file: HookFile) => Promise<ConfigRun>;
  /** Compiles a filter; returns why it does not compile. */
  readonly checkFilter: CheckFilter;
  /** How many `--config` runs go on at the same time; default 8. */
  readonly concurrency?: number;
}

export interface LoadedHooks {
  readonly hooks: readonly Hook[];
  /** One error for each hook that cannot be used, with all its problems. */
  readonly broken: readonly HookConfigError[];
}

/** How long a hook may take to print its config. */
export const CONFIG_LIMIT_MS = 10_000;

/** Reads the config of every file; both lists of the result are in the order of `files`. */
export async function loadHooks(files: readonly HookFile[], options: LoadOptions): Promise<LoadedHooks> {
  const results = await mapBounded(files, options.concurrency ?? 8, async (file) => loadHook(file, options));
  return {
    hooks: results.filter((result): result is Hook => !(result instanceof HookConfigError)),
    broken: results.filter((result) => result instanceof HookConfigError),
  };
}

/** Reads the config of one file; never rejects. */
export async function loadHook(file: HookFile, options: LoadOptions): Promise<Hook | HookConfigError> {
  // Some systems start a file without a valid first line, others do not: it is refused on all of them.
  const flaw = file.type === 'process' ? explainFirstLine(file.path) : undefined;
  if (flaw !== undefined) {
    return new HookConfigError(file.name, [{ path: '', message: flaw }], { reason: 'it cannot be started' });
  }
  const run = await runConfig(file, options.readConfig);
  const failure = describeFailure(file, run);
  if (failure !== undefined) return withoutConfig(file, failure, run);
  const printed = tryParse(run.stdout, options.checkFilter);
  if (printed.type === 'invalid') return broken(file, printed.issues, run);
  const config = executedBy(file, printed);
  if (config.type === 'invalid') return brokenByFile(file, config.issues);
  const { name, path, type } = file;
  const { bindings, settings, warnings } = config;
  return { name, path, type, bindings, settings, ...(warnings !== undefined && { warnings }) };
}

type ValidConfig = Extract<ParsedConfig, { readonly type: 'valid' }>;

/** The config with the executor that `hooklet-executors.yaml` says, where the hook says none. */
function executedBy({ executor }: HookFile, config: ValidConfig): ParsedConfig {
  if (executor === undefined) return config;
  if ('issues' in executor) return { type: 'invalid', issues: executor.issues };
  if (config.settings.executor !== undefined) return config;
  const place: Place = { path: EXECUTORS_FILE, issues: [] };
  checkExecutor(executor.rule, config.bindings, place);
  if (place.issues.length > 0) return { type: 'invalid', issues: place.issues };
  return { ...config, settings: { ...config.settings, executor: executor.rule } };
}

/** Turns an exception of the parser into a problem of this hook, so that it does not affect the others. */
function tryParse(text: string, checkFilter: CheckFilter): ParsedConfig {
  try {
    return parseConfig(text, checkFilter);
  } catch (error) {
    const reason = shownText(messageOf(error));
    return { type: 'invalid', issues: [{ path: '', message: `cannot be read: ${reason}` }] };
  }
}

async function runConfig(file: HookFile, readConfig: LoadOptions['readConfig']): Promise<ConfigRun> {
  try {
    return await readConfig(file);
  } catch (error) {
    const message = messageOf(error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    return { stdout: '', stderr: '', startError: { code, message } };
  }
}

/** Why the run failed; `undefined` when it exited with code 0 in time. */
function describeFailure({ path, type }: HookFile, run: ConfigRun): string | undefined {
  if (run.startError !== undefined) return `--config failed: ${explainStartFailure(path, run.startError)}`;
  if (run.exitCode === 0 && run.timedOut !== true) return undefined;
  if (isModuleBroken(type, run)) return MODULE_BROKEN;
  const hint = NO_LIBRARY.test(run.stderr) ? `; ${LIBRARY_HINT}` : '';
  return `--config ${ending(run)}, expected exit code 0${hint}`;
}

// The image has the file there, as that of shell-operator; other places have it elsewhere.
const NO_LIBRARY = /\/shell_lib\.sh: No such file/;
const LIBRARY_HINT = 'source "${HOOKLET_SHELL_LIB:-/shell_lib.sh}", which is set wherever hooklet runs a hook';

const MODULE_BROKEN = 'its module cannot be loaded';

/** A module is not run with `--config`, but loaded: then what it threw is in `stderr`. */
function isModuleBroken(type: HookFile['type'], { exitCode, stderr }: ConfigRun): boolean {
  return type === 'warm' && exitCode === 1 && stderr !== '';
}

function ending({ exitCode, signal, timedOut }: ConfigRun): string {
  if (timedOut === true) return `took longer than ${CONFIG_LIMIT_MS / 1000} s and was ended`;
  if (signal !== undefined) return `was ended by ${signal}`;
  return `exited with code ${exitCode ?? 'unknown'}`;
}

/** A hook that says what is wrong with its environment has these problems; of any other, how its run ended is one. */
function withoutConfig(file: HookFile, failure: string, run: ConfigRun): HookConfigError {
  const isEnded = run.startError === undefined && run.timedOut !== true;
  const problems = isEnded ? environmentProblems(run.stderr) : undefined;
  if (problems === undefined) return broken(file, [{ path: '', message: failure }], run);
  return new HookConfigError(file.name, problems, { reason: environmentReason(problems) });
}

/** What the hook printed has nothing to do with it. */
function brokenByFile({ name }: HookFile, issues: readonly Issue[]): HookConfigError {
  return new HookConfigError(name, issues, { reason: `${EXECUTORS_FILE} has ${issues.length} problem(s)` });
}

function broken(file: HookFile, issues: readonly Issue[], run: ConfigRun): HookConfigError {
  const output: HookConfigOutput = { stdout: cut(run.stdout), stderr: cut(run.stderr) };
  const isValidExit = run.startError === undefined && run.exitCode === 0 && run.timedOut !== true;
  const failed = isModuleBroken(file.type, run) ? MODULE_BROKEN : `--config ${ending(run)}`;
  const reason = run.startError === undefined ? failed : 'it cannot be started';
  const isRetryable = isLate(run);
  return new HookConfigError(file.name, issues, { output, isRetryable, ...(!isValidExit && { reason }) });
}

/** Error codes that mean: too few processes, too little memory, or too many open files. */
const SHORTAGES = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']);

/** Whether the run was cut off, or could not begin, so that the same file may load when the machine has time and room. */
function isLate({ timedOut, signal, startError }: ConfigRun): boolean {
  if (startError === undefined) return timedOut === true || signal === 'SIGKILL';
  return startError.isShortage === true || SHORTAGES.has(startError.code ?? '');
}

function cut(text: string): string {
  const trimmed = text.trim();
  const short = shownText(trimmed);
  return short === trimmed ? trimmed : `${short} (${trimmed.length} characters)`;
}

async function mapBounded<T, R>(
  values: readonly T[],
  limit: number,
  map: (value: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const entries = values.entries();
  const work = async (): Promise<void> => {
    // All workers take their values from this one iterator.
    for (const [index, value] of entries) results.set(index, await map(value));
  };
  await Promise.all(Array.from({ length: Math.min(limit, values.length) }, work));
  return values.flatMap((_, index) => {
    const result = results.get(index);
    return result === undefined ? [] : [result];
  });
}
