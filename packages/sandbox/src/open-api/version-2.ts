import { at, objectAt, present } from '../json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ServedKind } from '../kind.ts';
import { definitionsOf, type CustomDialect } from './definitions.ts';
import { SCALARS } from './message-schema.ts';
import { operationPaths } from './operations.ts';

/** The OpenAPI v2 document, with all kinds. */
export function openApi2Document(kinds: readonly ServedKind[]): JsonObject {
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.35.4' },
    paths: operationPaths(kinds, (name, type) => ({ name, in: 'query', type })),
    definitions: definitionsOf(kinds, DIALECT),
  };
}

const DIALECT: CustomDialect = {
  reference: (name, extensions) => ({ $ref: `#/definitions/${name}`, ...extensions }),
  scalars: {
    ...SCALARS,
    quantity: { type: 'string' },
    intOrString: { type: 'string', format: 'int-or-string' },
  },
  structural: simpler,
  definitions: {},
};

/** Reduces a schema to what v2 can express; where v2 cannot express what is allowed, the result allows everything. */
function simpler(schema: JsonObject): JsonObject {
  const description = at(schema, 'description');
  if (OPEN.some((extension) => at(schema, extension) === true)) return present({ description });
  return present({
    description,
    type: at(schema, 'type'),
    format: at(schema, 'format'),
    required: at(schema, 'required'),
    items: within(at(schema, 'items')),
    additionalProperties: within(at(schema, 'additionalProperties')),
    properties: at(schema, 'properties') === undefined ? undefined : simplerProperties(schema),
  });
}

const OPEN = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-int-or-string', 'nullable'];

function within(schema: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(schema) ? simpler(schema) : undefined;
}

function simplerProperties(schema: JsonObject): JsonObject {
  const properties = Object.entries(objectAt(schema, 'properties'));
  return Object.fromEntries(properties.map(([name, property]) => [name, simpler(objectAt(property))]));
}
