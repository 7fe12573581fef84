import type { JsonObject } from '../json.ts';
import { fillSchemaDefaults } from './defaults.ts';
import type { FieldProblem } from './field-problems.ts';
import { duplicateItems } from './list-types.ts';
import { pruneUnknownFields } from './prune.ts';
import { compileValidator } from './validator.ts';

export type { FieldProblem } from './field-problems.ts';

/** What a custom resource's schema does to its objects. */
export interface CustomResourceSchema {
  /** The object without the fields that the schema does not specify. */
  prune(object: JsonObject): JsonObject;
  /** The object with the schema's defaults, and without nulls where null is not allowed. */
  fillDefaults(object: JsonObject): JsonObject;
  /** Everything in which the object breaks the schema, in the API server's words. */
  validate(object: JsonObject): readonly FieldProblem[];
  /** What of the schema is not enforced here. */
  readonly problems: readonly string[];
}

/**
 * Compiles the `openAPIV3Schema` of one version of a custom resource. CEL rules (`x-kubernetes-validations`)
 * are not evaluated, nor patterns that JavaScript cannot compile; `problems` names each place.
 */
export function compileCustomResourceSchema(schema: JsonObject): CustomResourceSchema {
  const { validate, problems } = compileValidator(schema);
  return {
    prune: (object) => pruneUnknownFields(object, schema),
    fillDefaults: (object) => fillSchemaDefaults(object, schema),
    validate: (object) => [...validate(object), ...duplicateItems(object, schema)],
    problems,
  };
}
