import { isObject, type JsonObject } from './json-object.ts';
import { shown } from './shown.ts';

const MAX_PROBLEMS = 20;
const MAX_DEPTH = 1000;

/** What was read of what another program sent, or everything that is wrong with it, in one line. */
export type Parsed<T> =
  | { readonly type: 'read'; readonly value: T }
  | { readonly type: 'wrong'; readonly problem: string };

/**
 * Reads the members of an object of JSON that another program sent. What is wrong is added to the problems, with its
 * place, and read as a value of the right type; members that nobody asks for are not looked at.
 */
export class Members {
  readonly #object: JsonObject;
  readonly #where: string;
  readonly #problems: string[];

  constructor(value: unknown, where: string, problems: string[]) {
    this.#object = isObject(value) ? value : {};
    this.#where = where;
    this.#problems = problems;
    if (!isObject(value)) this.#add(where, value, 'an object of JSON');
  }

  has(key: string): boolean {
    return this.#object[key] !== undefined;
  }

  text(key: string): string {
    const value = this.#object[key];
    return typeof value === 'string' ? value : this.#wrong(key, 'a text', '');
  }

  /** A text of which `isRight` is true. */
  textThat(key: string, isRight: (text: string) => boolean, expected: string): string {
    const value = this.#object[key];
    return typeof value === 'string' && isRight(value) ? value : this.#wrong(key, expected, '');
  }

  flag(key: string): boolean {
    const value = this.#object[key];
    return typeof value === 'boolean' ? value : this.#wrong(key, 'true or false', false);
  }

  /** A number that is not negative; what is too large for one is none. */
  amount(key: string): number {
    const value = this.#object[key];
    return typeof value === 'number' && value >= 0 && value < Infinity
      ? value
      : this.#wrong(key, 'a number of 0 or more', 0);
  }

  /** A whole number of at least `least`, and at most `most` where it is given. */
  whole(key: string, least = 0, most = Infinity): number {
    const value = this.#object[key];
    if (isWhole(value, least) && value <= most) return value;
    const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`;
    return this.#wrong(key, `a whole number ${range}`, least);
  }

  /** A list of whole numbers that are not negative, `length` of them where it is given. */
  wholes(key: string, length?: number): readonly number[] {
    const value = this.#object[key];
    const isList = Array.isArray(value) && (length === undefined || value.length === length);
    const list: readonly unknown[] = isList ? value : [];
    const wholes = list.filter((one) => isWhole(one, 0));
    if (isList && wholes.length === list.length) return wholes;
    return this.#wrong(key, `a list of ${length === undefined ? '' : `${length} `}whole numbers`, []);
  }

  word<T extends string>(key: string, words: readonly [T, ...T[]]): T {
    const value = this.#object[key];
    return words.find((word) => word === value) ?? this.#wrong(key, `one of ${words.join(', ')}`, words[0]);
  }

  /** The members of a member. */
  inside(key: string): Members {
    return new Members(this.#object[key], this.#placeOf(key), this.#problems);
  }

  /** A list of objects, at most `most` of them; `read` takes the members of each. */
  each<T>(key: string, read: (members: Members) => T, most = Infinity): readonly T[] {
    const value = this.#object[key];
    if (!Array.isArray(value)) return this.#wrong(key, 'a list', []);
    const list: readonly unknown[] = value;
    if (list.length > most) {
      this.#problem(this.#placeOf(key), `a list of ${list.length}`, `one of at most ${most}`);
      return [];
    }
    return list.map((one, index) => read(new Members(one, `${this.#placeOf(key)}[${index}]`, this.#problems)));
  }

  /** A member that is an object, whose members may be anything. */
  object(key: string): JsonObject {
    const value = this.#object[key];
    return isObject(value) ? value : this.#wrong(key, 'an object of JSON', {});
  }

  /** A member that is an object whose members are texts. */
  texts(key: string): Readonly<Record<string, string>> {
    const members = new Members(this.object(key), this.#placeOf(key), this.#problems);
    return Object.fromEntries(Object.keys(members.#object).map((name) => [name, members.text(name)]));
  }

  /** Undefined where a member is absent. */
  maybe<T>(key: string, read: (key: string) => T): T | undefined {
    return this.has(key) ? read(key) : undefined;
  }

  #wrong<T>(key: string, expected: string, instead: T): T {
    this.#add(this.#placeOf(key), this.#object[key], expected);
    return instead;
  }

  #placeOf(key: string): string {
    return `${this.#where}: ${key}`;
  }

  #add(where: string, value: unknown, expected: string): void {
    this.#problem(where, value === undefined ? 'nothing' : shown(value), expected);
  }

  #problem(where: string, received: string, expected: string): void {
    if (this.#problems.length >= MAX_PROBLEMS) return;
    this.#problems.push(`${where}: got ${received}, expected ${expected}`);
  }
}

/** Reads an object of JSON with `read`, which takes its members; `where` names it in the problems. */
export function parseMembers<T>(text: string, where: string, read: (members: Members) => T): Parsed<T> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { type: 'wrong', problem: `${where}: got ${shown(text)}, expected JSON` };
  }
  if (isDeeperThan(document, MAX_DEPTH))
    return { type: 'wrong', problem: `${where}: got JSON that is nested deeper than ${MAX_DEPTH}, expected less` };
  const problems: string[] = [];
  const value = read(new Members(document, where, problems));
  return problems.length === 0 ? { type: 'read', value } : { type: 'wrong', problem: problems.join('; ') };
}

/** Whether it nests objects and lists deeper than so; texts of JSON are made of values by recursion, which has an end. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.flatMap((one): readonly unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}
