import type { JsonObject, JsonValue } from '../json.ts';
import type { ServedKind } from '../kind.ts';
import { resourcePath } from '../route.ts';

/** Describes a query parameter in one version of OpenAPI. */
export type WriteParameter = (name: string, type: string) => JsonValue;

/** The paths of kinds, with the operations of each. */
export function operationPaths(kinds: readonly ServedKind[], parameter: WriteParameter): JsonObject {
  const paths: { [path: string]: JsonValue } = {};
  for (const kind of kinds) {
    const collection = resourcePath(kind, '{namespace}');
    paths[collection] = operations(kind, { get: 'list', post: 'post', delete: 'deletecollection' }, parameter);
    const object = { get: 'get', put: 'put', patch: 'patch', delete: 'delete' };
    paths[`${collection}/{name}`] = operations(kind, object, parameter);
  }
  return paths;
}

function operations(
  kind: ServedKind,
  actions: { readonly [method: string]: string },
  parameter: WriteParameter,
): JsonObject {
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  return Object.fromEntries(
    Object.entries(actions).map(([method, action]) => [
      method,
      {
        'x-kubernetes-action': action,
        'x-kubernetes-group-version-kind': gvk,
        parameters: parameterNames(method).map((name) => parameter(name, name === 'force' ? 'boolean' : 'string')),
        responses: { '200': { description: 'OK' } },
      },
    ]),
  );
}

const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];

function parameterNames(method: string): readonly string[] {
  if (!['post', 'put', 'patch'].includes(method)) return [];
  return method === 'patch' ? [...WRITE_PARAMETERS, 'force'] : WRITE_PARAMETERS;
}
