// Gives each Team a namespace: with a quota, the rights of its members, and a network policy.
import { reconcile, type KubernetesObject } from 'hooklet';

interface Team extends KubernetesObject {
  readonly spec: { readonly members: readonly string[]; readonly quota: Readonly<Record<string, string>> };
}

const RBAC = 'rbac.authorization.k8s.io';

export default reconcile<Team>(
  {
    name: 'teams',
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'Team',
    owns: [
      { apiVersion: 'v1', kind: 'Namespace' },
      { apiVersion: 'v1', kind: 'ResourceQuota' },
      { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding' },
      { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
    ],
  },
  ({ object }) => {
    const { members, quota } = object.spec;
    const namespace = `team-${object.metadata.name}`;
    const metadata = { name: 'team', namespace };
    const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'edit' };
    const subjects = members.map((name) => ({ apiGroup: RBAC, kind: 'User', name }));
    // Pods of other namespaces reach nothing here.
    const policy = { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: {} }] }] };
    const inside = [
      { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: quota } },
      { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects },
      { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec: policy },
    ];
    return {
      children: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
        // Only in a namespace that was made for this Team: in one of somebody else its members get no rights.
        ...inside.map((object) => ({ object, after: [`Namespace/${namespace}`] })),
      ],
      status: { namespace, members: members.length },
    };
  },
);
