/*
 * What the readers of scenario files are made of. A field is a reader of the kind that configs of hooks have
 * (`hook/config-reader.ts`), with the JSON Schema of what it reads, so that an editor and hooklet cannot disagree about a
 * name, a word or a type. What a schema cannot say, such as which hooks there are, the reader alone checks.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { inside, type Place, type Read, readFields, report, reportValue } from '../../hook/config-reader.ts';
import { parseDuration } from '../../lib/duration.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';

/** A reader, and the schema of the values that it takes. */
export interface Field<T> {
  readonly read: Read<T>;
  readonly schema: JsonObject;
}

/** The fields of a mapping by their names. */
export type FieldMap = Readonly<Record<string, Field<unknown>>>;

/** What a mapping with these fields becomes. */
export type FieldValues<M extends FieldMap> = {
  readonly [K in keyof M]: M[K] extends Field<infer T> ? T | undefined : never;
};

/** The field with a sentence for those who see it in an editor. */
export function described<T>(field: Field<T>, description: string): Field<T> {
  return { read: field.read, schema: { ...field.schema, description } };
}

/** A mapping with no other fields than these; `required` says of each what is expected. */
export function mapping<M extends FieldMap>(
  fields: M,
  required: Readonly<Record<string, string>> = {},
): Field<FieldValues<M>> {
  const readers = Object.fromEntries(Object.entries(fields).map(([key, { read }]) => [key, read]));
  const read = readFields(readers, { required });
  const properties = Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema]));
  return {
    read: (value, place) => {
      const before = place.issues.length;
      const values = read(value, place) as FieldValues<M>;
      return isObject(value) && isComplete(value, required) && place.issues.length === before ? values : undefined;
    },
    schema: {
      type: 'object',
      properties,
      additionalProperties: false,
      ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
    },
  };
}

function isComplete(value: Readonly<Record<string, unknown>>, required: object): boolean {
  return Object.keys(required).every((key) => value[key] !== undefined);
}

/** A field whose value is read by another function, which may report problems. */
export function derived<T, U>(field: Field<T>, derive: (value: T, place: Place) => U | undefined): Field<U> {
  return {
    schema: field.schema,
    read: (value, place) => {
      const read = field.read(value, place);
      return read === undefined ? undefined : derive(read, place);
    },
  };
}

/** A list of at most `maxLength` elements. */
export function list<T>(field: Field<T>, { maxLength = 1000, minLength = 0 } = {}): Field<readonly T[]> {
  return {
    read: (value, place) => {
      if (!Array.isArray(value)) return reportValue(place, value, 'a list');
      if (value.length > maxLength) {
        return report(place, `got ${value.length} elements, expected at most ${maxLength}`);
      }
      if (value.length < minLength) return reportValue(place, value, 'a list with at least one element');
      return value.flatMap((element, index) => field.read(element, inside(place, index)) ?? []);
    },
    schema: { type: 'array', items: field.schema, maxItems: maxLength, ...(minLength > 0 && { minItems: minLength }) },
  };
}

/** One of something, or a list of them. */
export function oneOrMore<T>(field: Field<T>, maxLength = 1000): Field<readonly T[]> {
  const several = list(field, { maxLength, minLength: 1 });
  return {
    read: (value, place) => {
      if (Array.isArray(value)) return several.read(value, place);
      const one = field.read(value, place);
      return one === undefined ? undefined : [one];
    },
    schema: { anyOf: [field.schema, several.schema] },
  };
}

/** One field where `isFirst` holds for the value, else the other. */
export function either<A, B>(isFirst: (value: unknown) => boolean, first: Field<A>, second: Field<B>): Field<A | B> {
  return {
    read: (value, place) => (isFirst(value) ? first.read(value, place) : second.read(value, place)),
    schema: { anyOf: [first.schema, second.schema] },
  };
}

const MAX_TEXT = 100_000;

/** A text that is not empty. */
export const text: Field<string> = {
  read: (value, place) => {
    if (typeof value !== 'string' || value === '') return reportValue(place, value, 'a text');
    if (value.length > MAX_TEXT) return report(place, `got ${value.length} characters, expected at most ${MAX_TEXT}`);
    return value;
  },
  schema: { type: 'string', minLength: 1 },
};

/** A text, or a number or boolean as it is written. */
export const plainText: Field<string> = {
  read: (value, place) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : reportValue(place, value, 'a text'),
  schema: { type: ['string', 'number', 'boolean'] },
};

/** One of the words. */
export function word<W extends string>(words: readonly W[]): Field<W> {
  return {
    read: (value, place) =>
      words.find((one) => one === value) ?? reportValue(place, value, `one of ${words.join(', ')}`),
    schema: { enum: [...words] },
  };
}

export const flag: Field<boolean> = {
  read: (value, place) => (typeof value === 'boolean' ? value : reportValue(place, value, 'true or false')),
  schema: { type: 'boolean' },
};

/** `true`, for what is either said or left out. */
export const mark: Field<true> = {
  read: (value, place) => (value === true ? value : reportValue(place, value, 'true, or leave the field out')),
  schema: { const: true },
};

/** A whole number within both bounds. */
export function whole(min: number, max: number): Field<number> {
  return {
    read: (value, place) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
        ? value
        : reportValue(place, value, `a whole number from ${min} to ${max}`),
    schema: { type: 'integer', minimum: min, maximum: max },
  };
}

export const finite: Field<number> = {
  read: (value, place) =>
    typeof value === 'number' && Number.isFinite(value) ? value : reportValue(place, value, 'a number'),
  schema: { type: 'number' },
};

/** A span of virtual time, such as `24h` or `90s`, in milliseconds. */
export const duration: Field<number> = {
  read: (value, place) => {
    const ms = typeof value === 'string' ? parseDuration(value) : undefined;
    if (ms !== undefined && ms >= 1) return ms;
    const days = typeof value === 'string' ? /^(\d{1,4})d$/.exec(value)?.[1] : undefined;
    const hint = days === undefined ? '' : `; ${days} days are ${Number(days) * 24}h`;
    return report(place, `got ${shown(value)}, expected a duration of at most 87600h such as 90s, 5m or 24h${hint}`);
  },
  schema: { type: 'string', pattern: String.raw`^(\d+(\.\d+)?(ms|s|m|h))+$` },
};

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A time with its offset, such as `2026-03-29T00:30:00Z`, in milliseconds since the epoch. */
export const instant: Field<number> = {
  read: (value, place) => {
    const ms = typeof value === 'string' && INSTANT.test(value) && isDate(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(ms) ? reportValue(place, value, 'a time such as 2026-03-29T00:30:00Z') : ms;
  },
  schema: { type: 'string', pattern: INSTANT.source },
};

/** `Date` takes 30 February for a day of March. */
function isDate(value: string): boolean {
  const day = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value.slice(0, 10));
}

/** A mapping with any fields. */
export const anyMapping: Field<JsonObject> = {
  read: (value, place) => (isJsonObject(value) ? value : reportValue(place, value, 'a mapping')),
  schema: { type: 'object' },
};

export const anyValue: Field<JsonValue> = {
  read: (value) => value as JsonValue,
  schema: {},
};

/** A mapping from names to values of one kind. */
export function byName<T>(field: Field<T>, isName: RegExp, expected: string): Field<Readonly<Record<string, T>>> {
  return {
    read: (value, place) => {
      if (!isObject(value)) return reportValue(place, value, 'a mapping');
      const entries = Object.entries(value).flatMap(([name, one]) => {
        if (!isName.test(name)) return report(inside(place, name), `got ${shown(name)}, expected ${expected}`) ?? [];
        const read = field.read(one, inside(place, name));
        return read === undefined ? [] : [[name, read] as const];
      });
      return Object.fromEntries(entries);
    },
    schema: { type: 'object', additionalProperties: field.schema },
  };
}
