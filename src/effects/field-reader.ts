import { pathSegmentProblem } from '../lib/path-segment.ts';
import { isYes, YES_NO } from '../lib/go-yaml.ts';
import { shown, shownName, shownText } from '../lib/shown.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { SlowTextBudget } from './slow-text.ts';

const MAX_UNKNOWN = 20;
const MAX_SHOWN = 60;
const MAX_MESSAGE = 500;

/** One problem of one field. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Reads the fields of one document and collects their problems; keys match in any case, as in shell-operator. */
export class FieldReader {
  readonly problems: FieldProblem[] = [];
  /** Likely mistakes that are no problems, one line each. */
  readonly warnings: string[] = [];
  /** Limits the reading of fields whose strings contain a document. */
  readonly budget: SlowTextBudget;
  readonly #document: JsonObject;
  readonly #keys = new Map<string, string>();

  constructor(document: JsonObject, budget = new SlowTextBudget(Infinity)) {
    this.#document = document;
    this.budget = budget;
    for (const key of Object.keys(document)) {
      const lower = key.toLowerCase();
      if (!this.#keys.has(lower)) this.#keys.set(lower, key);
    }
  }

  /** The value, unchecked; `null` counts as absent. */
  value(field: string): unknown {
    const exact = this.#document[field];
    if (exact !== undefined) return exact ?? undefined;
    const key = this.#keys.get(field.toLowerCase());
    return key === undefined ? undefined : (this.#document[key] ?? undefined);
  }

  /** A string; the empty one counts as absent. */
  text(field: string): string | undefined {
    const value = this.value(field);
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'string') return value;
    this.#refuse(field, value, 'a string');
    return undefined;
  }

  /** A required string; reports a problem and returns the empty string when it is missing. */
  requiredText(field: string, expected: string): string {
    const before = this.problems.length;
    const text = this.text(field);
    if (text === undefined && this.problems.length === before) this.missing(field, expected);
    return text ?? '';
  }

  /** Reports a name that is not a valid segment of a request path; an absent or empty name is not reported. */
  checkSegment(field: string, name: string | undefined): void {
    const problem = name === undefined || name === '' ? undefined : pathSegmentProblem(name);
    if (problem !== undefined) this.fail(field, `received ${received(name)}, which ${problem}`);
  }

  /** True or false, or one of the words that Go's YAML packages take for them. */
  flag(field: string): boolean {
    const value = this.value(field);
    if (value === undefined || typeof value === 'boolean') return value ?? false;
    if (typeof value === 'string' && YES_NO.test(value)) return isYes(value);
    this.#refuse(field, value, 'true or false');
    return false;
  }

  number(field: string): number | undefined {
    const value = this.value(field);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    this.#refuse(field, value, 'a number');
    return undefined;
  }

  missing(field: string, expected: string): void {
    this.fail(field, `is missing, expected ${expected}`);
  }

  #refuse(field: string, value: unknown, expected: string): void {
    this.fail(field, `received ${received(value)}, expected ${expected}`);
  }

  /** Reports a problem, shortened. */
  fail(field: string, message: string): void {
    this.problems.push({ field: shownName(field), message: shownText(message, MAX_MESSAGE) });
  }

  /**
   * Keys of the document that are not in `fields`, for a warning: the first 20, shortened, and how many more there are.
   */
  unknownKeys(fields: readonly string[]): readonly string[] {
    const known = new Set(fields.map((field) => field.toLowerCase()));
    const unknown = Object.keys(this.#document).filter((key) => !known.has(key.toLowerCase()));
    const more = unknown.length > MAX_UNKNOWN ? [`${unknown.length - MAX_UNKNOWN} more field(s)`] : [];
    return [...unknown.slice(0, MAX_UNKNOWN).map((key) => shownName(key)), ...more];
  }
}

/** A value for an error message: shortened; of an array or object only its type and size. */
export function received(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `an object with ${Object.keys(value).length} key(s)`;
  return typeof value === 'string' ? shown(value, MAX_SHOWN) : String(value);
}
