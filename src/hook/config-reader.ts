import type { Issue } from '../errors.ts';
import { shown, shownName, shownText } from '../lib/shown.ts';
import { pathSegmentProblem } from '../lib/path-segment.ts';
import { isObject } from '../lib/json-object.ts';
import { nearest } from './nearest.ts';

/**
 * The combinators that read a config. A reader (`Read<T>`) gets a JSON value and its place, and either returns what the
 * value means or adds every problem it finds to `place.issues` and returns `undefined`. A reader never throws and never
 * stops at the first problem, so that an author sees all problems of a config at once. The `config-*` files build the
 * readers of the bindings out of those here; `parseConfig` runs them once for each config that a hook prints.
 *
 * What must hold: an `undefined` result of a value that is present means that a problem was reported or that the value
 * means the same as an absent one. At most `MAX_ISSUES` problems are collected, so a hostile config cannot exhaust
 * memory.
 */

/** The position of a value in the config, and the list that collects the problems of that config. */
export interface Place {
  /** Such as `kubernetes[1].labelSelector`; empty for the whole config. */
  readonly path: string;
  readonly issues: Issue[];
  /** Collects likely mistakes, which are no problems; absent: they are not reported. */
  readonly warnings?: string[];
  /** Whether problems also have the words of shell-operator, as those of a config do. */
  readonly hasPhrases?: true;
}

/** Checks a value: reports every problem at its place and returns `undefined`, or returns what the value means. */
export type Read<T> = (value: unknown, place: Place) => T | undefined;

/** The result of `readFields`: each field as its reader returns it, `undefined` when absent or wrong. */
export type Fields<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Read<infer T> ? T | undefined : never;
};

export type Shape = Readonly<Record<string, Read<unknown>>>;

export interface ShapeRules {
  /** Fields that must be present, each with a description of the expected value. */
  readonly required?: Readonly<Record<string, string>>;
  /** Whether an object without any field is an error; default false. */
  readonly isNonEmpty?: boolean;
}

/** Limit of the problems that are reported of one config. */
const MAX_ISSUES = 100;
const MAX_MESSAGE = 500;
const MAX_PHRASE = 200;
const MAX_ELEMENTS = 1000;
/** Limit of the length of a name in a config, the same as for names in Kubernetes. */
const MAX_NAME_LENGTH = 253;

/**
 * Adds a problem at `place`, its message shortened to `MAX_MESSAGE` characters; `phrase` is what shell-operator says of
 * it, for those who search their logs for its words.
 */
export function report({ path, issues, hasPhrases }: Place, message: string, phrase?: string): undefined {
  const added = hasPhrases === true && phrase !== undefined ? ` (${shownText(phrase, MAX_PHRASE)})` : '';
  const whole = shownText(message, MAX_MESSAGE) + added;
  if (issues.length < MAX_ISSUES) issues.push({ path, message: whole });
  else if (issues.length === MAX_ISSUES)
    issues.push({ path: '', message: `and more than these ${MAX_ISSUES} problems` });
}

/** Reports a value as not the expected one. */
export function reportValue(place: Place, value: unknown, expected: string, phrase?: string): undefined {
  return report(place, `got ${shown(value)}, expected ${expected}`, phrase);
}

/** Reports a value as not of the type that it has in the schema of shell-operator. */
export function reportType(place: Place, value: unknown, { type, expected }: ExpectedType): undefined {
  return reportValue(place, value, expected, `${plainPath(place)} must be of type ${type}: "${typeName(value)}"`);
}

interface ExpectedType {
  readonly type: 'string' | 'boolean' | 'integer' | 'array' | 'object';
  readonly expected: string;
}

/** Adds a likely mistake. */
export function warn({ path, warnings }: Place, message: string): undefined {
  if (warnings !== undefined && warnings.length < MAX_ISSUES) {
    warnings.push(shownText(`${path === '' ? '' : `${path}: `}${message}`, MAX_MESSAGE));
  }
}

/** The path in the words of shell-operator, which leaves out the indexes. */
export function plainPath({ path }: Place): string {
  return path.replaceAll(/\[\d+\]/g, '');
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The place of a field or an element of the value at `place`. */
export function inside(place: Place, key: string | number): Place {
  return { ...place, path: joinPath(place.path, key) };
}

export const readText: Read<string> = (value, place) =>
  typeof value === 'string' ? value : reportType(place, value, { type: 'string', expected: 'a string' });

/** A string; the empty string means the same as an absent one, as in shell-operator. */
export const readOptionalText: Read<string> = (value, place) => readText(value, place) || undefined;

/** A name that becomes a segment of a request path, so it must be a valid one. */
export const readName: Read<string> = (value, place) => {
  if (typeof value !== 'string')
    return reportType(place, value, { type: 'string', expected: 'a string that is not empty' });
  if (value === '') return reportValue(place, value, 'a string that is not empty');
  const problem = pathSegmentProblem(value);
  return problem === undefined ? value : report(place, `got ${shown(value)}, which ${problem}`);
};

/** A name that the hook's author chooses, such as that of a queue; the empty string means the same as an absent one. */
export const readLabel: Read<string> = (value, place) => {
  const name = readOptionalText(value, place);
  if (name === undefined || name.length <= MAX_NAME_LENGTH) return name;
  return report(place, `got ${name.length} characters, expected at most ${MAX_NAME_LENGTH}`);
};

export const readFlag: Read<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : reportType(place, value, { type: 'boolean', expected: 'true or false' });

export const readInteger: Read<number> = (value, place) =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? value
    : reportType(place, value, { type: 'integer', expected: 'a whole number' });

/** A whole number within both bounds. */
export function readWhole(min: number, max: number): Read<number> {
  return (value, place) => {
    const whole = readInteger(value, place);
    if (whole === undefined || (whole >= min && whole <= max)) return whole;
    return reportValue(place, value, `a whole number from ${min} to ${max}`);
  };
}

/** One of the keys of `meanings`; returns the value of that key. */
export function readWord<T>(meanings: Readonly<Record<string, T>>): Read<T> {
  return (value, place) => {
    const isKnown = typeof value === 'string' && Object.hasOwn(meanings, value);
    if (isKnown) return meanings[value];
    const words = Object.keys(meanings);
    const expected = `one of ${words.join(', ')}`;
    if (typeof value !== 'string') return reportType(place, value, { type: 'string', expected });
    return reportValue(place, value, expected, `${plainPath(place)} should be one of [${words.join(' ')}]`);
  };
}

/** A list of at most `maxLength` elements, so that code that compares its elements with each other stays fast. */
export function readList<T>(read: Read<T>, minLength = 0, maxLength = MAX_ELEMENTS): Read<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) return reportType(place, value, { type: 'array', expected: 'a list' });
    if (value.length > maxLength) {
      return report(place, `got ${value.length} elements, expected at most ${maxLength}`);
    }
    if (value.length < minLength) {
      const phrase = `${plainPath(place)} should have at least ${minLength} items`;
      return reportValue(place, value, 'a list with at least one element', phrase);
    }
    return value
      .map((element, index) => read(element, inside(place, index)))
      .filter((element) => element !== undefined);
  };
}

/** An object with no fields but those of `shape`. If the value is not an object, all fields are absent. */
export function readFields<S extends Shape>(
  shape: S,
  rules: ShapeRules = {},
): (value: unknown, place: Place) => Fields<S> {
  const { required = {}, isNonEmpty = false } = rules;
  return (value, place) => {
    const object = isObject(value) ? value : {};
    if (object !== value) reportType(place, value, { type: 'object', expected: 'a mapping' });
    else if (isNonEmpty && Object.keys(object).length === 0) {
      reportValue(place, value, `some of ${listed(shape)}`, `${plainPath(place)} should have at least 1 properties`);
    } else reportFields(object, { shape, required, place });
    const fields = Object.entries(shape).map(([key, read]) => [
      key,
      object[key] === undefined ? undefined : read(object[key], inside(place, key)),
    ]);
    return Object.fromEntries(fields) as Fields<S>;
  };
}

/** A copy of `fields` without those that are `undefined`. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

interface FieldRules {
  readonly shape: Shape;
  readonly required: Readonly<Record<string, string>>;
  readonly place: Place;
}

function reportFields(object: Readonly<Record<string, unknown>>, { shape, required, place }: FieldRules): void {
  for (const key of Object.keys(object)) {
    if (Object.hasOwn(shape, key)) continue;
    if (place.issues.length > MAX_ISSUES) break;
    const meant = nearest(key, Object.keys(shape));
    const hint = meant === undefined ? `expected one of ${listed(shape)}` : `did you mean ${meant}?`;
    report(inside(place, key), `unknown field, ${hint}`, `${plainPath(place)}.${key} is a forbidden property`);
  }
  for (const [key, expected] of Object.entries(required)) {
    if (object[key] !== undefined) continue;
    report(inside(place, key), `missing, expected ${expected}`, `${plainPath(place)}.${key} is required`);
  }
}

function listed(shape: Shape): string {
  return Object.keys(shape).join(', ');
}

const MAX_KEY = 100;

function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\w-]+$/.test(key)) return `${path}[${shown(key, MAX_KEY)}]`;
  return path === '' ? shownName(key, MAX_KEY) : `${path}.${shownName(key, MAX_KEY)}`;
}
