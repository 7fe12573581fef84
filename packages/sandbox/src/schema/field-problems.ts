import type { ErrorObject } from 'ajv';
import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';

/** One invalid field of an object: a cause of the `Status` that refuses the object. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: FieldProblemReason;
  readonly message: string;
}

/** The reason why a field's value is refused, as the API names it. */
export type FieldProblemReason =
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueRequired'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid';

/** Converts the errors of the validator to the API server's words. */
export function toFieldProblems(errors: readonly ErrorObject[], object: JsonObject): readonly FieldProblem[] {
  const strings = new Set<string>();
  return withoutLosingBranches(errors).flatMap((error) => {
    const field = fieldAt(error.instancePath, object);
    // Of the limits on one string, only the first that it breaks is reported.
    if (STRING_LIMITS.has(error.keyword)) {
      if (strings.has(field)) return [];
      strings.add(field);
    }
    const problem = PROBLEMS[error.keyword]?.(error, field);
    return problem === undefined ? [] : [problem];
  });
}

const STRING_LIMITS: ReadonlySet<string> = new Set(['maxLength', 'minLength', 'pattern']);

/** Of the branches of a failed oneOf or anyOf, keeps only the errors of the one with the fewest errors. */
function withoutLosingBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const counts = new Map<string, Map<string, number>>();
  for (const error of errors) {
    const branch = branchOf(error);
    if (branch === undefined) continue;
    const group = counts.get(branch.group) ?? new Map<string, number>();
    counts.set(branch.group, group.set(branch.index, (group.get(branch.index) ?? 0) + 1));
  }
  return errors.filter((error) => {
    const branch = branchOf(error);
    if (branch === undefined) return true;
    const [nearest] = [...(counts.get(branch.group) ?? [])].toSorted(([, left], [, right]) => left - right);
    return nearest?.[0] === branch.index;
  });
}

function branchOf(error: ErrorObject): { readonly group: string; readonly index: string } | undefined {
  const [, group, index] = /^(.*\/(?:oneOf|anyOf))\/(\d+)\//.exec(error.schemaPath) ?? [];
  return group === undefined || index === undefined ? undefined : { group: group + error.instancePath, index };
}

/** Converts a JSON pointer to the API's notation of a field: `spec.list[0].name`. */
function fieldAt(pointer: string, object: JsonObject): string {
  let value: JsonValue | undefined = object;
  let field = '';
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isJsonArray(value)) {
      field += `[${name}]`;
      value = value[Number(name)];
    } else {
      field = childOf(field, name);
      value = isJsonObject(value) ? value[name] : undefined;
    }
  }
  return field;
}

function childOf(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

type Describe = (error: ErrorObject, field: string) => FieldProblem;

const PROBLEMS: Readonly<Record<string, Describe>> = {
  required: ({ params }, field) => {
    const missing = childOf(field, String(params['missingProperty']));
    return { field: missing, reason: 'FieldValueRequired', message: 'Required value' };
  },
  type: ({ params, data }, field) => {
    const expected = [params['type']].flat().filter((type) => type !== 'null');
    const actual = JSON.stringify(typeName(data));
    const message = `Invalid value: ${actual}: ${field} in body must be of type ${expected.join(',')}: ${actual}`;
    return { field, reason: 'FieldValueTypeInvalid', message };
  },
  format: ({ params, data }, field) => {
    const actual = JSON.stringify(data);
    const message = `Invalid value: ${actual}: ${field} in body must be of type ${String(params['format'])}: ${actual}`;
    return { field, reason: 'FieldValueTypeInvalid', message };
  },
  enum: ({ params, data }, field) => {
    const allowed: readonly unknown[] = [params['allowedValues']].flat();
    const quoted = allowed.filter((value) => value !== null).map((value) => JSON.stringify(asText(value)));
    const message = `Unsupported value: ${JSON.stringify(data)}: supported values: ${quoted.join(', ')}`;
    return { field, reason: 'FieldValueNotSupported', message };
  },
  maxLength: ({ params }, field) => {
    const message = `Too long: may not be more than ${limitOf(params)} ${limitOf(params) === 1 ? 'byte' : 'bytes'}`;
    return { field, reason: 'FieldValueTooLong', message };
  },
  maxItems: ({ params, data }, field) => tooMany(field, [data].flat().length, limitOf(params)),
  maxProperties: ({ params, data }, field) => tooMany(field, countOf(data), limitOf(params)),
  minItems: ({ params, data }, field) =>
    invalid(field, [data].flat().length, `should have at least ${limitOf(params)} items`),
  minProperties: ({ params, data }, field) =>
    invalid(field, countOf(data), `should have at least ${limitOf(params)} properties`),
  minLength: ({ params, data }, field) => invalid(field, data, `should be at least ${limitOf(params)} chars long`),
  pattern: ({ params, data }, field) => invalid(field, data, `should match '${String(params['pattern'])}'`),
  minimum: ({ params, data }, field) => invalid(field, data, `should be greater than or equal to ${limitOf(params)}`),
  maximum: ({ params, data }, field) => invalid(field, data, `should be less than or equal to ${limitOf(params)}`),
  exclusiveMinimum: ({ params, data }, field) => invalid(field, data, `should be greater than ${limitOf(params)}`),
  exclusiveMaximum: ({ params, data }, field) => invalid(field, data, `should be less than ${limitOf(params)}`),
  multipleOf: ({ params, data }, field) =>
    invalid(field, data, `should be a multiple of ${String(params['multipleOf'])}`),
  oneOf: ({ params }, field) => {
    const passing: unknown = params['passingSchemas'];
    const found = Array.isArray(passing) ? `${passing.length} valid alternatives` : 'none valid';
    return unplaced(`"${field}" must validate one and only one schema (oneOf). Found ${found}`);
  },
  anyOf: (_error, field) => unplaced(`"${field}" must validate at least one schema (anyOf)`),
  not: (_error, field) => unplaced(`"${field}" must not validate the schema (not)`),
};

function invalid(field: string, value: unknown, rule: string): FieldProblem {
  const message = `Invalid value: ${JSON.stringify(value)}: ${field} in body ${rule}`;
  return { field, reason: 'FieldValueInvalid', message };
}

function tooMany(field: string, actual: number, limit: number): FieldProblem {
  const items = limit === 1 ? 'item' : 'items';
  return { field, reason: 'FieldValueTooMany', message: `Too many: ${actual}: must have at most ${limit} ${items}` };
}

/** For such a schema the API server names the field only in the text. */
function unplaced(text: string): FieldProblem {
  return { field: '<nil>', reason: 'FieldValueInvalid', message: `Invalid value: "": ${text}` };
}

function limitOf(params: ErrorObject['params']): number {
  return Number(params['limit']);
}

function countOf(value: unknown): number {
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
