import type { ErrorObject } from 'ajv';
import { Ajv } from 'ajv';
import type { JsonObject } from '../json.ts';
import { toJsonSchema } from './json-schema.ts';
import type { FieldProblem } from './field-problems.ts';
import { toFieldProblems } from './field-problems.ts';
import { withTimeLimit } from '../time-limit.ts';
import { FORMATS } from './formats.ts';

const VALIDATION_LIMIT_MS = 1000;

/** Compiles a structural schema to a validation; `problems` names what could not be compiled. */
export function compileValidator(schema: JsonObject): {
  readonly validate: (object: JsonObject) => readonly FieldProblem[];
  readonly problems: readonly string[];
} {
  const { jsonSchema, problems } = toJsonSchema(schema);
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    validateSchema: false,
    unicodeRegExp: false,
    formats: FORMATS,
  });
  const check = ajv.compile(jsonSchema);
  const validate = (object: JsonObject): readonly FieldProblem[] => {
    // In JavaScript, a pattern can take exponential time; in the API server it cannot.
    withTimeLimit('the validation by the schema', VALIDATION_LIMIT_MS, () => check(object));
    const errors: readonly ErrorObject[] = check.errors ?? [];
    return toFieldProblems(errors, object);
  };
  return { validate, problems };
}
