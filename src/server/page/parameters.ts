import { nearest } from '../../hook/nearest.ts';
import { shown } from '../../lib/shown.ts';
import { Refused } from './refused.ts';

/** Says why a value cannot be read, and what to give; undefined where it can. */
export type ReadParameter = (value: string) => string | undefined;

/** All parameters that a URL or a form may have; an empty one is as good as none. */
export type ViewParameters = Readonly<Record<string, ReadParameter>>;

/** The longest parameter that is read. */
export const MAX_PARAMETER = 600;
const MAX_PROBLEMS = 20;

/** Any text. */
export const TEXT: ReadParameter = () => undefined;

/** `NS/NAME`, `NAME` or `KIND/NS/NAME`. */
export const OBJECT: ReadParameter = (value) =>
  value.split('/').length > 3 ? 'give NAMESPACE/NAME, NAME or KIND/NAMESPACE/NAME' : undefined;

/** A whole number from 1, such as a time in milliseconds since the epoch. */
export const NUMBER: ReadParameter = (value) =>
  /^[1-9]\d{0,14}$/.test(value) ? undefined : 'give a whole number from 1';

/** One of these words. */
export function oneOf(words: readonly string[]): ReadParameter {
  return (value) => {
    if (words.includes(value)) return undefined;
    const meant = nearest(value, words);
    return `give one of ${words.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  };
}

/**
 * Throws `Refused` with all parameters that cannot be read: without them a list would be shown, or an action done, as if
 * nobody had asked for less.
 */
export function requireReadable(query: URLSearchParams, parameters: ViewParameters, where: string): void {
  const problems = [...new Set(query.keys())].flatMap((name) => {
    const problem = problemOf(name, query.getAll(name), parameters);
    return problem === undefined ? [] : [`${where}: ${problem}.`];
  });
  if (problems.length === 0) return;
  const more = problems.length - MAX_PROBLEMS;
  const rest = more > 0 ? [`And ${more} more.`] : [];
  throw new Refused(400, [...problems.slice(0, MAX_PROBLEMS), ...rest].join('\n'));
}

function problemOf(name: string, values: readonly string[], parameters: ViewParameters): string | undefined {
  const read = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (read === undefined) return unknown(name, Object.keys(parameters));
  if (values.length > 1) return `${name} is given ${values.length} times: give it once`;
  const value = values[0]?.trim() ?? '';
  if (value.length > MAX_PARAMETER)
    return `${name} has ${value.length} characters, at most ${MAX_PARAMETER} are read: give less`;
  const why = value === '' ? undefined : read(value);
  return why === undefined ? undefined : `${name} is ${shown(value)}: ${why}`;
}

function unknown(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const there = known.length === 0 ? 'there is none' : `there is ${known.join(', ')}`;
  return `there is no parameter ${shown(name)}: leave it out; ${meant === undefined ? there : `did you mean ${meant}?`}`;
}
