import { unreachable } from '../lib/unreachable.ts';
import type { Manifest } from './manifests.ts';
import { commentLine as comment, objectYaml, type Fields } from './object-yaml.ts';
import type { Rule } from './rules.ts';

const API = 'rbac.authorization.k8s.io';

/** The manifests as YAML, with the reasons of each rule as comments above it. */
export function manifestsYaml(manifests: readonly Manifest[], header: readonly string[]): string {
  return [...header.map((line) => `${comment(line)}\n`), manifests.map(yamlOf).join('---\n')].join('');
}

/** The manifests as a List in JSON; the reasons are in an annotation of each role. */
export function manifestsJson(manifests: readonly Manifest[]): string {
  const items = manifests.map(objectOf);
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`;
}

function yamlOf(manifest: Manifest): string {
  const remarksOf = manifest.type === 'role' ? manifest.rules.map(remarks) : [];
  const note = 'note' in manifest && manifest.note !== '' ? `${comment(manifest.note)}\n` : '';
  return `${note}${objectYaml(plainOf(manifest), remarksOf)}`;
}

/** What is said about a rule: its reasons, and what to know of it. */
export function remarks({
  reasons,
  verbs,
  isOptional,
  isUnverified,
  namespace,
  group,
  resource,
}: Rule): readonly string[] {
  const reads = verbs.some((verb) => ['get', 'list', 'watch'].includes(verb));
  const isAllSecrets = namespace === '' && group === '' && resource === 'secrets' && reads;
  return [
    ...(isAllSecrets ? ['WARNING: this reads every Secret of the cluster; name namespaces in the binding'] : []),
    ...(isUnverified ? ['unverified: no list of kinds has it; give its definition with --crds'] : []),
    ...reasons.map(({ text, verbs: its }) => {
      const all = its.length === 0 || its.length === verbs.length ? '' : `${its.join(', ')}: `;
      return `${isOptional ? 'optional: ' : ''}${all}${text}`;
    }),
  ];
}

function objectOf(manifest: Manifest): Fields {
  if (manifest.type !== 'role') return plainOf(manifest);
  const annotations = { 'hooklet.dev/reasons': JSON.stringify(manifest.rules.map(remarks)) };
  return roleObject(manifest, { annotations });
}

/** Without the reasons, which YAML has as comments. */
function plainOf(manifest: Manifest): Fields {
  switch (manifest.type) {
    case 'account': {
      const { name, namespace } = manifest.account;
      return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
    }
    case 'role':
      return roleObject(manifest);
    case 'binding':
      return bindingObject(manifest);
    default:
      return unreachable(manifest);
  }
}

/** A Role, or a ClusterRole where the namespace is empty. */
export function roleObject(
  { name, namespace, rules }: Pick<Extract<Manifest, { type: 'role' }>, 'name' | 'namespace' | 'rules'>,
  metadata: Fields = {},
): Fields {
  return {
    apiVersion: `${API}/v1`,
    kind: namespace === '' ? 'ClusterRole' : 'Role',
    metadata: { ...metadataOf(name, namespace), ...metadata },
    rules: rules.map(ruleObject),
  };
}

/** The binding of a Role, or of a ClusterRole where the namespace is empty. */
export function bindingObject({
  name,
  namespace,
  subjects,
}: Omit<Extract<Manifest, { type: 'binding' }>, 'type'>): Fields {
  const isCluster = namespace === '';
  return {
    apiVersion: `${API}/v1`,
    kind: isCluster ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: metadataOf(name, namespace),
    roleRef: { apiGroup: API, kind: isCluster ? 'ClusterRole' : 'Role', name },
    subjects: subjects.map(({ name: account, namespace: home }) => {
      return { kind: 'ServiceAccount', name: account, namespace: home };
    }),
  };
}

function ruleObject({ group, resource, verbs, names }: Rule) {
  return {
    apiGroups: [group],
    resources: [resource],
    ...(names.length > 0 && { resourceNames: names }),
    verbs,
  };
}

function metadataOf(name: string, namespace: string) {
  return { name, ...(namespace !== '' && { namespace }) };
}
