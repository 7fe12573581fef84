import type { JsonObject } from '../json.ts';

/** A group version and its kinds, as far as the OpenAPI documents speak of them. */
export interface DescribedGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly DescribedKind[];
}

/** A kind and where its objects are. */
export interface DescribedKind {
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The `openAPIV3Schema` of a custom resource. */
  readonly schema?: JsonObject;
}

/** What `/openapi/v3` answers: where the document of each group version is. */
export function openApiIndex(groupVersions: readonly Pick<DescribedGroupVersion, 'group' | 'version'>[]): JsonObject {
  const paths = groupVersions.map((groupVersion) => {
    const root = rootOf(groupVersion);
    return [root, { serverRelativeURL: `/openapi/v3/${root}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

/**
 * What `/openapi/v3/<root>` answers. It is there for clients that ask, as kubectl does before it applies,
 * whether the server validates fields itself; only custom resources are described field by field.
 */
export function openApiDocument(groupVersion: DescribedGroupVersion): JsonObject {
  const { group, version, kinds } = groupVersion;
  const schemas = kinds.map((kind) => [schemaName(groupVersion, kind), schemaOf(groupVersion, kind)] as const);
  const paths = kinds.map(
    (kind) => [objectPath(groupVersion, kind), { patch: patchOf(group, version, kind) }] as const,
  );
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

/** Where a group version is: `api/v1`, `apis/apps/v1`. */
function rootOf({ group, version }: Pick<DescribedGroupVersion, 'group' | 'version'>): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function objectPath(groupVersion: DescribedGroupVersion, { plural, namespaced }: DescribedKind): string {
  return `/${rootOf(groupVersion)}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}/{name}`;
}

function patchOf(group: string, version: string, { kind }: DescribedKind): JsonObject {
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force', 'pretty'].map((name) => ({
    name,
    in: 'query',
    schema: { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true },
  }));
  return {
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters,
    responses: { 200: { description: 'OK' } },
  };
}

/** The server names its schemas by the group's name backwards. */
function schemaName({ group, version }: DescribedGroupVersion, { kind }: DescribedKind): string {
  const reversed = group === '' ? 'core' : group.split('.').toReversed().join('.');
  return `${reversed}.${version}.${kind}`;
}

function schemaOf({ group, version }: DescribedGroupVersion, { kind, schema = {} }: DescribedKind): JsonObject {
  return { type: 'object', ...schema, 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
}
