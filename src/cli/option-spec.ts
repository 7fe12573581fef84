import { parseDuration } from '../lib/duration.ts';

/** One option of `hooklet start`: a flag, the environment variables that can set it, and its default. */
export interface OptionSpec<T> {
  /** As `--help` prints it: `--hooks-dir <dir>`. */
  readonly flag: string;
  /** In order of precedence; the first that is set and not empty wins. */
  readonly env: readonly string[];
  readonly defaultText: string;
  readonly description: string;
  /** Converts the text; throws an Error whose message is what was expected. */
  readonly parse: (text: string) => T;
  readonly fallback: T;
}

/** An option whose value is any text. */
export function text(name: string, env: readonly string[], fallback: string, description: string): OptionSpec<string> {
  return { flag: name, env, defaultText: fallback, description, parse: (value) => value, fallback };
}

/** A flag without a value; default false. Its variables accept true, 1, yes, false, 0 and no. */
export function flag(name: string, env: readonly string[], description: string): OptionSpec<boolean> {
  const parse = (value: string): boolean => {
    if (['true', '1', 'yes'].includes(value.toLowerCase())) return true;
    if (['false', '0', 'no'].includes(value.toLowerCase())) return false;
    throw new Error('true or false');
  };
  return { flag: name, env, defaultText: 'false', description, parse, fallback: false };
}

/** An option with a number of 0 or more. */
export function number(
  name: string,
  env: readonly string[],
  fallback: number,
  description: string,
): OptionSpec<number> {
  const parse = (value: string): number => {
    const parsed = Number(value);
    if (value.trim() === '' || !Number.isFinite(parsed) || parsed < 0) throw new Error('a number of 0 or more');
    return parsed;
  };
  return { flag: name, env, defaultText: String(fallback), description, parse, fallback };
}

/** An option with a port number; 0 is accepted. */
export function port(name: string, env: readonly string[], fallback: number, description: string): OptionSpec<number> {
  const parse = (value: string): number => {
    if (!/^\d+$/.test(value) || Number(value) > 65_535) throw new Error('a whole number from 0 to 65535');
    return Number(value);
  };
  return { flag: name, env, defaultText: String(fallback), description, parse, fallback };
}

/** An option with a Go duration of 0 or more, in milliseconds. */
export function duration(
  name: string,
  env: readonly string[],
  fallback: string,
  description: string,
): OptionSpec<number> {
  const parse = (value: string): number => {
    const parsed = parseDuration(value);
    if (parsed === undefined || parsed < 0) throw new Error('a duration such as 500ms, 25s or 1h30m');
    return parsed;
  };
  return { flag: name, env, defaultText: fallback, description, parse, fallback: parse(fallback) };
}

/** An option with one of several words, in any case. */
export function choice<T extends string>(
  name: string,
  env: readonly string[],
  values: readonly T[],
  fallback: T,
): OptionSpec<T> {
  const parse = (value: string): T => {
    const found = values.find((candidate) => candidate === value.toLowerCase());
    if (found === undefined) throw new Error(`one of ${values.join(', ')}`);
    return found;
  };
  return { flag: name, env, defaultText: fallback, description: `one of ${values.join(', ')}`, parse, fallback };
}
