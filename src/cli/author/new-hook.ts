import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../hook/nearest.ts';
import { shellWord } from '../../lib/shell-word.ts';
import { shown } from '../../lib/shown.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { startOptions } from '../options/options.ts';
import { resolveOptions } from '../options/resolve.ts';
import { textTable } from '../text/text-table.ts';
import { hookPlan, type HookPlan } from './hook-plan.ts';
import { pythonHook } from './hook-python.ts';
import { scenarioText } from './hook-scenario.ts';
import { shellHook } from './hook-shell.ts';
import { typescriptHook } from './hook-typescript.ts';
import { packageAbove, schemaHint } from './schema-hint.ts';
import { writeNewFiles } from './new-files.ts';

export interface NewHookFlags {
  readonly on: readonly string[];
  readonly lang?: string;
  readonly hooksDir?: string;
}

/** `hooklet new hook`: makes a hook and its scenario, and returns what to print. Throws `UsageError`. */
export function newHook(name: string, { on, lang, hooksDir: given }: NewHookFlags): string {
  checkName(name);
  const plan = hookPlan(name, on);
  const { hooksDir } = resolveOptions(startOptions, given === undefined ? {} : { hooksDir: given }, process.env);
  const folder = resolve(hooksDir);
  const language = languageOf(lang, folder);
  const file = `${name}.${EXTENSIONS[language]}`;
  const scenario = join('scenarios', `${name}.yaml`);
  checkFolder(folder, { name, on });
  const project = dirname(folder);
  const installed = packageAbove(project);
  const hint = installed === undefined ? '' : schemaHint(join(project, 'scenarios'), installed);
  const files = [
    { path: join(basename(folder), file), text: textOf(plan, language) },
    { path: scenario, text: hint + scenarioText(plan, `../${basename(folder)}/${file}`) },
  ];
  const written = writeNewFiles(dirname(folder), files, 'new hook');
  const shownPath = (path: string): string => relative('.', join(dirname(folder), path));
  const shownPaths = written.map((path) => `  ${shownPath(path)}\n`);
  if (written.length === 0) return `${file} and its scenario are there already\n`;
  const first = [`hooklet check ${hooksDir}`, 'find mistakes'];
  const others = [
    [`hooklet test ${shownPath(scenario)}`, 'run its scenario'],
    [`hooklet rbac ${hooksDir}`, 'print the rights of its bindings, for the manifests'],
  ];
  return `${shownPaths.join('')}\nNext:\n${textTable(first, others, '  ')}`;
}

const NAME = /^[a-z0-9](?:[-a-z0-9]{0,48}[a-z0-9])?$/;

function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new UsageError(
    `new hook: got ${shown(name)}, expected a name of at most 50 small letters, digits and dashes, such as copy-secrets; its file gets the ending of its language`,
  );
}

/** A hook is not written through a link: its scenario would be elsewhere than the hook. */
function checkFolder(folder: string, { name, on }: { readonly name: string; readonly on: readonly string[] }): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  const real = targetOf(folder);
  const advice =
    real === undefined
      ? 'and that is not there: make it, or remove the link'
      : `and the scenario belongs beside the hooks; name the folder itself: hooklet new hook ${name} --on ${on.map(shellWord).join(' ')} --hooks-dir ${shellWord(real)}`;
  throw new UsageError(`new hook: ${folder} is a link to ${real ?? readlinkSync(folder)}, ${advice}`);
}

function targetOf(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return undefined;
  }
}

const EXTENSIONS = { shell: 'sh', typescript: 'ts', python: 'py' } as const;

type Language = keyof typeof EXTENSIONS;

const LANGUAGES: readonly Language[] = ['shell', 'typescript', 'python'];

/** The language that is asked for, else that of most hooks in the folder, else shell. */
function languageOf(given: string | undefined, folder: string): Language {
  if (given === undefined) return commonest(folder);
  const found = LANGUAGES.find((language) => language === given);
  if (found !== undefined) return found;
  const meant = nearest(given, LANGUAGES);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new UsageError(`--lang: got ${shown(given)}, expected one of ${LANGUAGES.join(', ')}${hint}`);
}

function commonest(folder: string): Language {
  const names = filesIn(folder);
  const counted = LANGUAGES.map((language) => ({
    language,
    count: names.filter((name) => name.endsWith(`.${EXTENSIONS[language]}`)).length,
  }));
  return counted.toSorted((left, right) => right.count - left.count)[0]?.language ?? 'shell';
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is made with the hook.
    return [];
  }
}

function textOf(plan: HookPlan, language: Language): string {
  switch (language) {
    case 'shell':
      return shellHook(plan);
    case 'typescript':
      return typescriptHook(plan);
    case 'python':
      return pythonHook(plan);
    default:
      return unreachable(language);
  }
}
