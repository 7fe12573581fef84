import type { JsonObject } from './operation.ts';
import { SlowTextBudget } from './slow-text.ts';

/** One problem of one field. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Reads the fields of one document and gathers everything wrong with them; keys match in any case, as in the peer. */
export class FieldReader {
  readonly problems: FieldProblem[] = [];
  /** For strings that hold documents of their own. */
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

  /** The value as it stands; `null` counts as absent. */
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

  /** A string that must be there; empty when it is not, which is then a problem. */
  requiredText(field: string, expected: string): string {
    const before = this.problems.length;
    const text = this.text(field);
    if (text === undefined && this.problems.length === before) this.missing(field, expected);
    return text ?? '';
  }

  flag(field: string): boolean {
    const value = this.value(field);
    if (value === undefined || typeof value === 'boolean') return value ?? false;
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

  fail(field: string, message: string): void {
    this.problems.push({ field, message });
  }

  /** Keys of the document that are none of `fields`. */
  unknownKeys(fields: readonly string[]): readonly string[] {
    const known = new Set(fields.map((field) => field.toLowerCase()));
    return Object.keys(this.#document).filter((key) => !known.has(key.toLowerCase()));
  }
}

/** A value in an error message: short, with its type where that is not plain to see. */
export function received(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `an object with ${Object.keys(value).length} key(s)`;
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
