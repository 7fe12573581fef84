// Clients learn the schemas of the served kinds from OpenAPI documents: kubectl for `explain` and for validation, other
// clients to build typed objects. There is one version 2 document for all kinds, and a version 3 document for each
// group and version.
//
// Both are generated from the same sources: the tables in messages/ for built-in kinds, and the `openAPIV3Schema` of
// each served version for custom resources. A dialect holds what the versions of OpenAPI write differently. The
// documents are made for each request, so that they follow the CustomResourceDefinitions.

import { objectAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import type { ServedKind } from '../kind.ts';
import { messageOfKind } from '../messages/messages.ts';
import { messageSchema, messagesWithin, schemaName, withTypeFields, type Dialect } from './message-schema.ts';

/** A dialect that can also describe custom resources. */
export interface CustomDialect extends Dialect {
  /** Converts a structural schema to what this version of OpenAPI can express. */
  structural(schema: JsonObject): JsonObject;
  /** The definitions that the scalars of this dialect refer to. */
  readonly definitions: JsonObject;
}

const OBJECT_META = 'meta/v1.ObjectMeta';

/** The schemas of kinds, and of all messages that they consist of, by name. */
export function definitionsOf(kinds: readonly ServedKind[], dialect: CustomDialect): JsonObject {
  const builtIn = kinds.flatMap((kind) => {
    const message = kind.custom === undefined ? messageOfKind(kind) : undefined;
    return message === undefined ? [] : [{ kind, message }];
  });
  const roots = new Map(builtIn.map(({ kind, message }) => [message, kind]));
  const messages = messagesWithin([...roots.keys(), OBJECT_META]).map((message) => {
    const schema = messageSchema(message, dialect);
    const kind = roots.get(message);
    return [schemaName(message), kind === undefined ? schema : ofKind(kind, schema)] as const;
  });
  const custom = kinds.flatMap((kind) =>
    kind.custom === undefined ? [] : [[customName(kind), customSchema(kind, kind.custom.schema, dialect)] as const],
  );
  return { ...dialect.definitions, ...Object.fromEntries([...messages, ...custom]) };
}

function ofKind({ group, version, kind }: ServedKind, schema: JsonObject): JsonObject {
  return { ...withTypeFields(schema), 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
}

function customSchema(kind: ServedKind, schema: JsonObject, dialect: CustomDialect): JsonObject {
  const structural = dialect.structural(schema);
  const metadata = dialect.reference(schemaName(OBJECT_META), {});
  const open = structural['type'] === undefined && structural['properties'] === undefined;
  const properties = open ? {} : { ...objectAt(structural, 'properties'), metadata };
  return ofKind(kind, open ? structural : { ...structural, properties });
}

/** The name of a custom resource's schema: the segments of the group in reverse, then version and kind. */
function customName({ group, version, kind }: ServedKind): string {
  return [...group.split('.').toReversed(), version, kind].join('.');
}
