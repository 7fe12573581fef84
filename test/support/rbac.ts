import type { AccessAttributes, Authorize, JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';

/** Authorizes requests by the Roles and ClusterRoles in manifests, and records the decisions. */
export interface Rbac {
  readonly authorize: Authorize;
  /** The refused requests. */
  refused(): readonly string[];
  /**
   * The granted rights that were never used; of `list` and `watch` one is enough, `get` is for conflicts of an update.
   */
  unused(): readonly string[];
}

interface Grant {
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly right: string;
}

/**
 * Reads the rules of the manifests. All belong to one account, so of bindings only the namespace matters: a ClusterRole
 * that only RoleBindings reference applies in their namespaces.
 */
export function rbacOf(manifests: readonly JsonObject[]): Rbac {
  const grants = manifests.flatMap((manifest) => grantsOf(manifest, manifests));
  const used = new Set<string>();
  const refused = new Set<string>();
  return {
    authorize(attributes) {
      // Every account may use discovery, and ask what it may do.
      if (attributes.path !== '' || attributes.resource === 'selfsubjectaccessreviews') return true;
      const right = rightTo(attributes);
      const isGranted = grants.some(
        (grant) => grant.right === right && ['', attributes.namespace].includes(grant.namespace),
      );
      if (isGranted) used.add(readingIsOne(right));
      else refused.add(`${right} in ${attributes.namespace === '' ? 'the cluster' : attributes.namespace}`);
      return isGranted;
    },
    refused: () => [...refused],
    unused: () =>
      grants.map(({ right }) => right).filter((right) => !right.startsWith('get ') && !used.has(readingIsOne(right))),
  };
}

function grantsOf(role: JsonObject, manifests: readonly JsonObject[]): readonly Grant[] {
  if (!['Role', 'ClusterRole'].includes(textAt(role, 'kind'))) return [];
  const namespaces = namespacesOf(role, manifests);
  return objectsAt(role, 'rules').flatMap((rule) =>
    textsAt(rule, 'verbs').flatMap((verb) =>
      textsAt(rule, 'resources').flatMap((resource) =>
        textsAt(rule, 'apiGroups').flatMap((group) =>
          namespaces.map((namespace) => ({ namespace, right: describe(verb, resource, group) })),
        ),
      ),
    ),
  );
}

function namespacesOf(role: JsonObject, manifests: readonly JsonObject[]): readonly string[] {
  const own = textAt(role, 'metadata', 'namespace');
  if (textAt(role, 'kind') === 'Role') return [own];
  const bindings = manifests.filter(
    (one) =>
      textAt(one, 'roleRef', 'kind') === 'ClusterRole' &&
      textAt(one, 'roleRef', 'name') === textAt(role, 'metadata', 'name'),
  );
  const isBoundEverywhere = bindings.some((one) => textAt(one, 'kind') === 'ClusterRoleBinding');
  return isBoundEverywhere ? [''] : bindings.map((one) => textAt(one, 'metadata', 'namespace'));
}

function rightTo({ verb, group, resource, subresource }: AccessAttributes): string {
  return describe(verb, subresource === '' ? resource : `${resource}/${subresource}`, group);
}

function describe(verb: string, resource: string, group: string): string {
  return `${verb} ${group === '' ? resource : `${resource}.${group}`}`;
}

function readingIsOne(right: string): string {
  return right.replace(/^(?:list|watch) /, 'read ');
}

/** The API groups, resources and verbs of all rules of some objects. */
export function rightsIn(objects: readonly JsonObject[]): readonly string[] {
  const rules = objects.flatMap((object) => objectsAt(object, 'rules'));
  return rules.flatMap((rule) => ['apiGroups', 'resources', 'verbs'].flatMap((field) => textsAt(rule, field)));
}
