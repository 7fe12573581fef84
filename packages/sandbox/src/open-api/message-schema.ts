import { objectAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import type { Field } from '../messages/field.ts';
import { fieldsOf } from '../messages/messages.ts';

/** The parts of a schema that the versions of OpenAPI write differently. */
export interface Dialect {
  /** A reference to a schema that is described elsewhere. */
  reference(schemaName: string, extensions: JsonObject): JsonObject;
  readonly scalars: { readonly [type: string]: JsonObject };
}

/** The schema of a message of a built-in kind. */
export function messageSchema(message: string, dialect: Dialect): JsonObject {
  const fields = flattened(message);
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, dialect)])),
  };
}

/** The fields of a message, including those of embedded messages. */
function flattened(message: string): readonly Field[] {
  return (fieldsOf(message) ?? []).flatMap((field) => (field.name === '' ? flattened(field.type) : [field]));
}

function fieldSchema(field: Field, dialect: Dialect): JsonObject {
  const extensions = {
    ...(field.patchMergeKey === '' ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
    ...(field.patchStrategy === '' ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategy }),
  };
  switch (field.shape) {
    case 'list':
      return { type: 'array', items: typeSchema(field.type, {}, dialect), ...extensions };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(field.type, {}, dialect), ...extensions };
    case 'one':
      return typeSchema(field.type, extensions, dialect);
  }
}

function typeSchema(type: string, extensions: JsonObject, dialect: Dialect): JsonObject {
  if (fieldsOf(type) !== undefined) return dialect.reference(schemaName(type), extensions);
  return { ...dialect.scalars[type], ...extensions };
}

/** The given messages and all messages that they consist of. */
export function messagesWithin(roots: readonly string[]): readonly string[] {
  const found = new Set(roots);
  for (const message of found) {
    for (const { type } of flattened(message)) if (fieldsOf(type) !== undefined) found.add(type);
  }
  return [...found];
}

const HOMES: { readonly [home: string]: string } = {
  meta: 'io.k8s.apimachinery.pkg.apis.meta',
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};

/** The name of a message in OpenAPI: `io.k8s.api.core.v1.Pod`. */
export function schemaName(message: string): string {
  const [home = '', rest = ''] = message.split('/');
  return `${HOMES[home] ?? `io.k8s.api.${home}`}.${rest}`;
}

const TEXT: JsonObject = { type: 'string' };

/** The schemas of scalars that all versions of OpenAPI share. */
export const SCALARS: { readonly [type: string]: JsonObject } = {
  string: TEXT,
  bytes: { type: 'string', format: 'byte' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  time: { type: 'string', format: 'date-time' },
  microtime: { type: 'string', format: 'date-time' },
  duration: TEXT,
  fields: { type: 'object' },
  raw: { type: 'object' },
  empty: { type: 'object' },
  items: { type: 'array', items: TEXT },
  json: {},
  orBool: {},
  orArray: {},
  orStrings: {},
};

/** Adds `apiVersion` and `kind` to the schema of a kind. */
export function withTypeFields(schema: JsonObject): JsonObject {
  return { ...schema, properties: { apiVersion: TEXT, kind: TEXT, ...objectAt(schema, 'properties') } };
}
