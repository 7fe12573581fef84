import type { JsonObject } from '../json.ts';
import { fillSchemaDefaults } from './defaults.ts';
import type { FieldProblem } from './field-problems.ts';
import { duplicateItems } from './list-types.ts';
import { pruneUnknownFields } from './prune.ts';
import { compileValidator } from './validator.ts';

export type { FieldProblem } from './field-problems.ts';

/** The compiled schema of a custom resource. */
export interface CustomResourceSchema {
  /** Returns the object without the fields that the schema does not specify. */
  prune(object: JsonObject): JsonObject;
  /** Returns the object with the schema's defaults, and without nulls that the schema does not allow. */
  fillDefaults(object: JsonObject): JsonObject;
  /** Returns everything that is invalid in the object, in the API server's words. */
  validate(object: JsonObject): readonly FieldProblem[];
  /** The parts of the schema that are not enforced here. */
  readonly problems: readonly string[];
}

/**
 * Compiles the `openAPIV3Schema` of one version of a custom resource. CEL rules (`x-kubernetes-validations`) and
 * patterns that JavaScript cannot compile are not evaluated; `problems` names each place.
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
