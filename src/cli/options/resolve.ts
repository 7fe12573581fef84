import { UsageError } from '../../errors.ts';
import { shown } from '../../lib/shown.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { OptionSpec } from './spec.ts';

/** Flags by the names that commander gives them, as they were given: `hooksDir` for `--hooks-dir`. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

type Specs = Readonly<Record<string, OptionSpec<unknown>>>;
/** The values of a table of specs. */
export type Options<S extends Specs> = { readonly [K in keyof S]: S[K] extends OptionSpec<infer T> ? T : never };

/**
 * Resolves every option of a table; each command calls it once, before anything else. A flag overrides the environment,
 * which overrides the default. All bad values are reported in one `UsageError`.
 */
export function resolveOptions<S extends Specs>(specs: S, flags: Flags, env: NodeJS.ProcessEnv): Options<S> {
  const problems: string[] = [];
  const entries = Object.entries(specs).map(([key, spec]) => {
    const given = givenText(spec, flags[attributeName(spec.flag)], env);
    if (given === undefined) return [key, spec.fallback];
    try {
      return [key, spec.parse(given.text)];
    } catch (error) {
      const expected = messageOf(error);
      problems.push(`${given.source}: got ${JSON.stringify(given.text)}, expected ${expected}`);
      return [key, spec.fallback];
    }
  });
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return Object.fromEntries(entries);
}

/** What the log says of values that are taken, but not as they were given. */
export function optionNotes(specs: Specs, flags: Flags, env: NodeJS.ProcessEnv): readonly string[] {
  return Object.values(specs).flatMap((spec) => {
    const given = givenText(spec, flags[attributeName(spec.flag)], env);
    const note = given && spec.note?.(given.text);
    return given === undefined || note === undefined ? [] : [`${given.source}: got ${shown(given.text)}, ${note}`];
  });
}

/** The name that commander gives to a flag: `hooksDir` for `--hooks-dir <dir>`. */
export function attributeName(flag: string): string {
  return flag
    .replace(/ .*/, '')
    .replace(/^--/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function givenText(
  spec: OptionSpec<unknown>,
  flagValue: string | boolean | undefined,
  env: NodeJS.ProcessEnv,
): { readonly text: string; readonly source: string } | undefined {
  if (flagValue !== undefined) return { text: String(flagValue), source: spec.flag.split(' ')[0] ?? spec.flag };
  for (const name of spec.env) {
    const value = env[name];
    if (value !== undefined && value !== '') return { text: value, source: name };
  }
  return undefined;
}
