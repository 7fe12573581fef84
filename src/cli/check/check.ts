import { relative, sep } from 'node:path';
import type { HookConfigError } from '../../errors.ts';
import { admissionWarnings } from '../../hook/admission-warnings.ts';
import type { Binding, Hook } from '../../hook/binding.ts';
import { describeBindings, describeSettings } from '../../hook/describe.ts';
import type { HookFile } from '../../hook/discover.ts';
import { EXECUTORS_FILE } from '../../hook/executors-file.ts';
import { jobWarnings } from '../../hook/job-warnings.ts';
import { loadHooks, type LoadOptions } from '../../hook/load.ts';
import { scheduleWarnings } from '../../hook/schedule-warnings.ts';
import { withoutNameConflicts } from '../../hook/webhook-names.ts';
import { bindingNeeds } from '../../rights/binding-needs.ts';
import { resourcesAmong } from '../../rights/known-resource.ts';
import { secretRisk } from '../../rights/risks.ts';
import { builtInKinds } from '../built-in-kinds.ts';
import { divisionProblems, withDivision } from './division.ts';
import { kindProblems } from './kinds.ts';
import { failedConfig, readPrinted, type PrintedConfig } from './places.ts';
import type { CheckedBinding, CheckedHook, CheckProblem, CheckReport } from './report.ts';
import { findTargets, type CheckTarget } from './targets.ts';

export interface CheckOptions extends Pick<LoadOptions, 'checkFilter'> {
  /** Opens a reader that runs `--config` of the hooks of a folder. */
  readonly openReader: (root: string) => ConfigReader;
  /** Whether skipped files are warnings instead of errors. */
  readonly allowSkipped: boolean;
  /** Whether the hooks must be able to run with `--shards`. */
  readonly isSharded: boolean;
  /** Milliseconds since the epoch, for the next schedule times. */
  readonly now: () => number;
  /** The folder to which shown paths are relative. */
  readonly cwd: string;
}

export type ConfigReader = AsyncDisposable & Pick<LoadOptions, 'readConfig'>;

/**
 * Checks the hooks of folders and single files without a cluster. Rejects with `UsageError` when one of `paths` cannot
 * be read.
 */
export async function runCheck(paths: readonly string[], options: CheckOptions): Promise<CheckReport> {
  const results: FileResult[] = [];
  for (const target of await findTargets(paths)) {
    results.push(...(await checkTarget(target, options)), { problems: skippedProblems(target, options) });
  }
  const hooks = results.flatMap(({ hook }) => hook ?? []);
  const problems = results.flatMap((result) => result.problems).map(inOrder);
  const broken = new Set(problems.filter(isError).flatMap(({ hook, file }) => (hook === null ? [] : [file])));
  const errors = problems.filter(isError).length;
  const count = new Set([...hooks.map(({ file }) => file), ...broken]).size;
  return {
    hooks,
    problems,
    summary: { hooks: count, broken: broken.size, errors, warnings: problems.length - errors },
  };
}

/** Puts the fields into a fixed order, so that two JSON reports can be compared as text. */
function inOrder({ severity, hook, file, line, path, message, output }: CheckProblem): CheckProblem {
  return { severity, hook, file, line, path, message, ...(output !== undefined && { output }) };
}

interface FileResult {
  /** Absent when the config cannot be read. */
  readonly hook?: CheckedHook;
  readonly problems: readonly CheckProblem[];
}

async function checkTarget({ root, files }: CheckTarget, options: CheckOptions): Promise<readonly FileResult[]> {
  if (files.length === 0) return [];
  await using reader = options.openReader(root);
  const printed = new Map<string, PrintedConfig>();
  const readConfig: LoadOptions['readConfig'] = async (file) => {
    const run = await reader.readConfig(file);
    // The output of a failed run is not a config.
    const { exitCode, stdout, stderr } = run;
    printed.set(file.path, exitCode === 0 ? readPrinted(file.path, stdout) : failedConfig(file.path, stderr));
    return run;
  };
  const { hooks, broken } = await loadHooks(files, { readConfig, checkFilter: options.checkFilter });
  const named = withoutNameConflicts(hooks);
  const loaded = new Map<string, Hook | HookConfigError>();
  for (const hook of named.hooks) loaded.set(hook.name, hook);
  for (const error of [...broken, ...named.broken]) loaded.set(error.hook, error);
  return files.flatMap((file) => {
    const one = loaded.get(file.name);
    return one === undefined
      ? []
      : checkFile(one, printed.get(file.path) ?? failedConfig(file.path, ''), file, options);
  });
}

function checkFile(
  loaded: Hook | HookConfigError,
  config: PrintedConfig,
  { name, path }: HookFile,
  { cwd, now, isSharded }: CheckOptions,
): FileResult {
  const place = { hook: name, file: shownPath(path, cwd) };
  const kinds = kindProblems(config.value).map((problem) => ({ ...place, ...problem, line: config.lineOf(problem) }));
  if (loaded instanceof Error) return { problems: [...kinds, ...brokenProblems(loaded, config, place)] };
  const nowMs = now();
  const warningsAt = (path: string, messages: readonly string[]): readonly CheckProblem[] =>
    messages.map((message) => ({ ...place, severity: 'warning', line: config.lineOf({ path }), path: '', message }));
  const warnings = [
    ...warningsAt('', loaded.warnings ?? []),
    ...warningsAt('schedule', scheduleWarnings(loaded, nowMs)),
    ...warningsAt('settings.executor', jobWarnings(loaded, nowMs)),
    ...warningsAt('', secretRisks(loaded)),
    ...WEBHOOKS.flatMap((field) => warningsAt(field, warningsOf(loaded, field))),
  ];
  const undivided = (isSharded ? divisionProblems(loaded) : []).map((issue): CheckProblem => ({
    ...place,
    severity: 'error',
    line: config.lineOf(issue),
    ...issue,
  }));
  const hook = describeHook(loaded, place.file, nowMs);
  return { hook: isSharded ? withDivision(hook, loaded) : hook, problems: [...kinds, ...undivided, ...warnings] };
}

function secretRisks(hook: Hook): readonly string[] {
  return [...new Set(bindingNeeds(hook, resourcesAmong(builtInKinds())).flatMap(secretRisk))];
}

const WEBHOOKS = ['kubernetesValidating', 'kubernetesMutating'] as const;

function warningsOf(hook: Hook, field: (typeof WEBHOOKS)[number]): readonly string[] {
  const bindings = hook.bindings.filter(({ type }) => type === field);
  return admissionWarnings({ type: hook.type, bindings });
}

function brokenProblems(
  { issues, output }: HookConfigError,
  config: PrintedConfig,
  place: Pick<CheckProblem, 'hook' | 'file'>,
): readonly CheckProblem[] {
  return issues.map((issue, index) => {
    const { path, message } = issue;
    const isLast = index === issues.length - 1;
    return {
      ...place,
      severity: 'error',
      // A mistake in the file beside the hook is on no line of the hook.
      line: path.startsWith(EXECUTORS_FILE) ? 1 : config.lineOf(issue),
      path,
      message,
      ...(isLast && output !== undefined && { output }),
    };
  });
}

/**
 * Files that discovery skipped. They are errors by default: in an image, nobody would notice until the hook should have
 * run.
 */
function skippedProblems(
  { root, warnings }: CheckTarget,
  { allowSkipped, cwd }: CheckOptions,
): readonly CheckProblem[] {
  return warnings.map(({ path, message, isByRule }) => ({
    severity: allowSkipped || isByRule === true ? 'warning' : 'error',
    hook: null,
    file: shownPath(path, cwd),
    line: path === root ? null : 1,
    path: '',
    message,
  }));
}

function describeHook(hook: Hook, file: string, nowMs: number): CheckedHook {
  const summaries = describeBindings(hook, nowMs);
  const bindings = hook.bindings.map((binding, index) => describeBinding(binding, summaries[index] ?? ''));
  return { name: hook.name, file, type: hook.type, bindings, settings: describeSettings(hook.settings) };
}

function describeBinding(binding: Binding, summary: string): CheckedBinding {
  if (binding.type === 'onStartup') return { type: binding.type, name: 'onStartup', queue: 'main', summary };
  const { type, name } = binding;
  if ('queue' in binding) return { type, name, queue: binding.queue, summary };
  return { type, name, queue: type === 'reconcile' ? 'by object' : 'none', summary };
}

function isError({ severity }: CheckProblem): boolean {
  return severity === 'error';
}

function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  if (below === '') return '.';
  return below === '..' || below.startsWith(`..${sep}`) ? path : below;
}
