#!/bin/sh
# Gives each Team a namespace: with a quota, the rights of its members, and a network policy.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
reconcile:
  - name: teams
    apiVersion: example.hooklet.dev/v1
    kind: Team
    owns:
      - {apiVersion: v1, kind: Namespace}
      - {apiVersion: v1, kind: ResourceQuota}
      - {apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding}
      - {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy}
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

jq -c '
  .[0].object
  | "team-\(.metadata.name)" as $namespace
  # Only in a namespace that was made for this Team: in one of somebody else its members get no rights.
  | def inside(f): {after: ["Namespace/\($namespace)"], object: ({metadata: {name: "team", namespace: $namespace}} + f)};
  {
    children: [
      {apiVersion: "v1", kind: "Namespace", metadata: {name: $namespace}},
      inside({apiVersion: "v1", kind: "ResourceQuota", spec: {hard: .spec.quota}}),
      inside({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        roleRef: {apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit"},
        subjects: [.spec.members[] | {apiGroup: "rbac.authorization.k8s.io", kind: "User", name: .}]
      }),
      # Pods of other namespaces reach nothing here.
      inside({
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        spec: {podSelector: {}, policyTypes: ["Ingress"], ingress: [{from: [{podSelector: {}}]}]}
      })
    ],
    status: {namespace: $namespace, members: (.spec.members | length)}
  }
' "$BINDING_CONTEXT_PATH" > "$RESULT_PATH"
