import { parseDuration } from '../../lib/duration.ts';

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
  /** What is said in the log of a value that is taken, but not as it was given; undefined for any other. */
  readonly note?: (text: string) => string | undefined;
  readonly fallback: T;
}

/** An option whose value is any text. */
export function text(name: string, env: readonly string[], fallback: string, description: string): OptionSpec<string> {
  return { flag: name, env, defaultText: fallback, description, parse: (value) => value, fallback };
}

/** A flag without a value, or with one behind `=`; default false. True is `true`, `t`, `1` or `yes`, in any case. */
export function flag(name: string, env: readonly string[], description: string): OptionSpec<boolean> {
  const parse = (value: string): boolean => {
    if (['true', 't', '1', 'yes'].includes(value.toLowerCase())) return true;
    if (['false', 'f', '0', 'no'].includes(value.toLowerCase())) return false;
    throw new Error('true or false');
  };
  return { flag: name, env, defaultText: 'false', description, parse, fallback: false };
}

/** An option whose value is a list: the flag several times, or one text with commas. */
export function words(name: string, env: readonly string[], description: string): OptionSpec<readonly string[]> {
  const parse = (value: string): readonly string[] =>
    value
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  return { flag: name, env, defaultText: '', description, parse, fallback: [] };
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
