import type { JsonObject, JsonValue } from './json.ts';
import { apiVersionOf, type ServedKind } from './kind.ts';

const INDEX = '/openapi/v3';

/**
 * The OpenAPI v3 document at a path: the index, or one group and version with its operations; undefined where there
 * is none. Schemas are left out: it is here for clients that ask which operations and parameters there are.
 */
export function openApiDocument(kinds: readonly ServedKind[], path: string): JsonObject | undefined {
  if (path === INDEX) return indexDocument(kinds);
  const served = kinds.filter((kind) => path === `${INDEX}/${rootOf(kind)}`);
  if (served.length === 0) return undefined;
  const paths: { [path: string]: JsonValue } = {};
  for (const kind of served) {
    const collection = collectionPath(kind);
    paths[collection] = operations(kind, { get: 'list', post: 'post', delete: 'deletecollection' });
    paths[`${collection}/{name}`] = operations(kind, { get: 'get', put: 'put', patch: 'patch', delete: 'delete' });
  }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.35.4' }, paths, components: { schemas: {} } };
}

function indexDocument(kinds: readonly ServedKind[]): JsonObject {
  const roots = new Set(kinds.map(rootOf));
  return { paths: Object.fromEntries([...roots].map((root) => [root, { serverRelativeURL: `${INDEX}/${root}` }])) };
}

function rootOf(kind: ServedKind): string {
  return kind.group === '' ? `api/${kind.version}` : `apis/${apiVersionOf(kind)}`;
}

function collectionPath(kind: ServedKind): string {
  return `/${rootOf(kind)}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`;
}

const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];

function operations(kind: ServedKind, actions: { readonly [method: string]: string }): JsonObject {
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  return Object.fromEntries(
    Object.entries(actions).map(([method, action]) => [
      method,
      {
        'x-kubernetes-action': action,
        'x-kubernetes-group-version-kind': gvk,
        parameters: parametersOf(method),
        responses: { '200': { description: 'OK' } },
      },
    ]),
  );
}

function parametersOf(method: string): JsonValue {
  if (!['post', 'put', 'patch'].includes(method)) return [];
  const names = method === 'patch' ? [...WRITE_PARAMETERS, 'force'] : WRITE_PARAMETERS;
  return names.map((name) => ({ name, in: 'query', schema: { type: name === 'force' ? 'boolean' : 'string' } }));
}
