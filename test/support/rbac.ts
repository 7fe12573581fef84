import type { AccessAttributes, Authorize } from '../../src/sandbox/cluster.ts';
import { objectsAt, textAt, textsAt } from '../../src/sandbox/json-fields.ts';
import type { JsonObject } from '../../src/sandbox/json.ts';

/** Decides as the Roles and ClusterRoles among some manifests do, and keeps count. */
export interface Rbac {
  readonly authorize: Authorize;
  /** What was asked for and refused. */
  refused(): readonly string[];
  /** What was granted and never asked for; of `list` and `watch` one is enough, `get` is for conflicts at an update. */
  unused(): readonly string[];
}

interface Grant {
  /** Empty: everywhere. */
  readonly namespace: string;
  readonly right: string;
}

/** Reads the rules of the manifests; they stand for one account, so bindings are not looked at. */
export function rbacOf(manifests: readonly JsonObject[]): Rbac {
  const grants = manifests.flatMap(grantsOf);
  const used = new Set<string>();
  const refused = new Set<string>();
  return {
    authorize(attributes) {
      // Every account may find out what there is.
      if (attributes.path !== '') return true;
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

function grantsOf(manifest: JsonObject): readonly Grant[] {
  if (!['Role', 'ClusterRole'].includes(textAt(manifest, 'kind'))) return [];
  const namespace = textAt(manifest, 'metadata', 'namespace');
  return objectsAt(manifest, 'rules').flatMap((rule) =>
    textsAt(rule, 'verbs').flatMap((verb) =>
      textsAt(rule, 'resources').flatMap((resource) =>
        textsAt(rule, 'apiGroups').map((group) => ({ namespace, right: describe(verb, resource, group) })),
      ),
    ),
  );
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
