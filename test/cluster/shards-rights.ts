import { expect } from 'vitest';
import { textOf, type Client } from '@hooklet/sandbox/conformance';
import type { RoleRule } from './audit.ts';

/** What a replica needs in its own namespace to divide objects with others. */
export const SHARDS_RULES: readonly RoleRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'create', 'update', 'delete'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update'] },
];

/** What it needs for its Events. */
const EVENT_RULES: readonly RoleRule[] = [{ apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] }];

const RBAC = 'rbac.authorization.k8s.io';

/**
 * Makes an account `hooklet` with exactly these rights, and those of its hooks to ConfigMaps in all namespaces. Returns a
 * token of it; all goes with the namespace.
 */
export async function grantRights(
  admin: Client,
  { namespace, hookVerbs }: { readonly namespace: string; readonly hookVerbs: readonly string[] },
): Promise<string> {
  const name = 'hooklet';
  const made = async (path: string, object: object): Promise<void> =>
    expect((await admin.post(path, object)).status, path).toBe(201);
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await made(accounts, { metadata: { name } });
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const inNamespace = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  await made(`${inNamespace}/roles`, { metadata: { name }, rules: [...SHARDS_RULES, ...EVENT_RULES] });
  const roleRef = { apiGroup: RBAC, kind: 'Role', name };
  await made(`${inNamespace}/rolebindings`, { metadata: { name }, roleRef, subjects });
  const hookRule: RoleRule = { apiGroups: [''], resources: ['configmaps'], verbs: hookVerbs };
  const owned = { name: namespace, ownerReferences: [await ownerIn(admin, namespace)] };
  await made(`/apis/${RBAC}/v1/clusterroles`, { metadata: owned, rules: [hookRule] });
  const clusterRef = { apiGroup: RBAC, kind: 'ClusterRole', name: namespace };
  await made(`/apis/${RBAC}/v1/clusterrolebindings`, { metadata: owned, roleRef: clusterRef, subjects });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { body } = await admin.post(`${accounts}/${name}/token`, request);
  return textOf(body['status']?.['token']);
}

/** The namespace, as an owner of what is in none. */
async function ownerIn(admin: Client, namespace: string): Promise<object> {
  const { body } = await admin.get(`/api/v1/namespaces/${namespace}`);
  return { apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: textOf(body['metadata']?.['uid']) };
}
