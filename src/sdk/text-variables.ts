import { accessSync, constants, statSync } from 'node:fs';
import { variable, type Reading, type ValueOf, type Variable, type VariableOptions } from './variable.ts';

export interface TextOptions extends VariableOptions<string> {
  /** The whole text must match. */
  readonly pattern?: RegExp;
  /** The fewest and the most characters. */
  readonly min?: number;
  readonly max?: number;
}

/** A text. */
export function text<const O extends TextOptions>(options?: O): Variable<ValueOf<string, O>>;
export function text(options: TextOptions = {}): Variable<string> {
  const expected = textWords('a text', options);
  return variable(options, { expected, read: readText(options), default: options.default });
}

/** A text that is shown nowhere: not in errors, and not in tables. */
export function secret<const O extends Omit<TextOptions, 'default'>>(options?: O): Variable<ValueOf<string, O>>;
export function secret(options: Omit<TextOptions, 'default'> = {}): Variable<string> {
  const expected = textWords('a secret text', options);
  return variable(options, { expected, isSecret: true, read: readText(options), default: undefined });
}

/** One of several words. */
export function oneOf<const W extends string, const O extends VariableOptions<W>>(
  words: readonly [W, ...W[]],
  options?: O,
): Variable<ValueOf<W, O>>;
export function oneOf(words: readonly string[], options: VariableOptions<string> = {}): Variable<string> {
  const read = (given: string): Reading<string> => (words.includes(given) ? { value: given } : { problem: '' });
  const expected = words.length === 1 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return variable(options, { expected, read, default: options.default });
}

export interface UrlOptions extends VariableOptions<string> {
  /** Such as `['https']`; default `http` and `https`. */
  readonly schemes?: readonly string[];
}

/** A URL, whose value is the text as it was given. */
export function url<const O extends UrlOptions>(options?: O): Variable<ValueOf<string, O>>;
export function url(options: UrlOptions = {}): Variable<string> {
  const { schemes = ['http', 'https'] } = options;
  const read = (given: string): Reading<string> => {
    const scheme = URL.canParse(given) ? new URL(given).protocol.slice(0, -1) : '';
    return schemes.includes(scheme) ? { value: given } : { problem: '' };
  };
  return variable(options, {
    expected: `a URL such as ${schemes.at(-1)}://example.com`,
    read,
    default: options.default,
  });
}

/** The path of a file that can be read when the hook is loaded; the value is the path. */
export function file<const O extends VariableOptions<string>>(options?: O): Variable<ValueOf<string, O>>;
export function file(options: VariableOptions<string> = {}): Variable<string> {
  const read = (given: string): Reading<string> => {
    const problem = given.startsWith('/') ? unreadable(given) : 'it does not begin with "/"';
    return problem === undefined ? { value: given } : { problem };
  };
  const expected = 'the absolute path of a file that can be read';
  // What a default names may be there only where the hook runs.
  return variable(options, { expected, read, default: options.default, isLate: true });
}

function unreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile() ? undefined : 'it is no file';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' ? 'it is not there' : 'it cannot be read';
  }
}

function readText({
  pattern,
  min = 0,
  max = Number.POSITIVE_INFINITY,
}: TextOptions): (given: string) => Reading<string> {
  const whole = pattern && new RegExp(`^(?:${pattern.source})$`, pattern.flags.replaceAll(/[gy]/g, ''));
  return (given) =>
    given.length >= min && given.length <= max && whole?.test(given) !== false ? { value: given } : { problem: '' };
}

function textWords(what: string, { pattern, min, max }: TextOptions): string {
  const sizes = [
    ...(min === undefined ? [] : [`at least ${min} characters`]),
    ...(max === undefined ? [] : [`at most ${max} characters`]),
    ...(pattern === undefined ? [] : [`of the form ${pattern.source}`]),
  ];
  return [what, ...sizes].join(', ');
}
