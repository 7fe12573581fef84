import type { JsonObject, JsonValue } from '../json.ts';
import { apiVersionOf, type ServedKind } from '../kind.ts';
import { definitionsOf, type CustomDialect } from './definitions.ts';
import { SCALARS } from './message-schema.ts';
import { operationPaths } from './operations.ts';

const INDEX = '/openapi/v3';

/**
 * The OpenAPI v3 document at a path: the index, or one group and version with its operations and schemas; undefined if
 * there is none.
 */
export function openApi3Document(kinds: readonly ServedKind[], path: string): JsonObject | undefined {
  if (path === INDEX) return indexDocument(kinds);
  const served = kinds.filter((kind) => path === `${INDEX}/${rootOf(kind)}`);
  if (served.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.35.4' },
    paths: operationPaths(served, parameter),
    components: { schemas: definitionsOf(served, DIALECT) },
  };
}

function indexDocument(kinds: readonly ServedKind[]): JsonObject {
  const roots = new Set(kinds.map(rootOf));
  return { paths: Object.fromEntries([...roots].map((root) => [root, { serverRelativeURL: `${INDEX}/${root}` }])) };
}

function rootOf(kind: ServedKind): string {
  return kind.group === '' ? `api/${kind.version}` : `apis/${apiVersionOf(kind)}`;
}

function parameter(name: string, type: string): JsonValue {
  return { name, in: 'query', schema: { type } };
}

const FIELDS = 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1';

const DIALECT: CustomDialect = {
  reference: (name, extensions) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }], ...extensions }),
  scalars: {
    ...SCALARS,
    fields: { allOf: [{ $ref: `#/components/schemas/${FIELDS}` }] },
    quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  structural: (schema) => schema,
  definitions: { [FIELDS]: { type: 'object' } },
};
