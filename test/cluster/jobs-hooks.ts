/** A hook in bash whose runs are Jobs, or are executed by workers. */
export interface JobHook {
  /** Bindings of the config, such as `asked('heavy')`. */
  readonly bindings: object;
  /** Of `settings.executor.job`, without its template. */
  readonly job?: object;
  /** The pool of the workers; absent: its runs are Jobs. */
  readonly pool?: string;
  readonly settings?: object;
  /** What is done for each object, whose `name` and `namespace` are variables; /shared is a volume of all Pods. */
  readonly work?: string;
  /** What is done before, whatever the hook is called for. */
  readonly before?: string;
}

/** Work that goes on until `JobsRig.tell`. */
export const UNTIL_TOLD = 'until [ -e "/shared/told-$name" ]; do sleep 0.2; done';

const SHARED = {
  containers: [{ name: 'hook', volumeMounts: [{ name: 'shared', mountPath: '/shared' }] }],
  volumes: [{ name: 'shared', persistentVolumeClaim: { claimName: 'shared' } }],
};

/** A binding for the ConfigMaps that `JobsRig.ask` makes for a hook, in a queue of its own. */
export function asked(hook: string, more: object = {}): object {
  const place = { namespace: { nameSelector: { matchNames: ['$POD_NAMESPACE'] } } };
  const labelSelector = { matchLabels: { ask: hook } };
  const binding = { name: 'asked', apiVersion: 'v1', kind: 'ConfigMap', ...place, labelSelector };
  return { kubernetes: [{ ...binding, queue: hook, executeHookOnSynchronization: false, ...more }] };
}

/** The text of a hook: it creates a ConfigMap `did-OBJECT-RUN` for each object, so that nothing is done twice unseen. */
export function jobHook({ bindings, job = {}, pool, settings = {}, work = '', before = '' }: JobHook): string {
  // The images here run as root unless a Pod says otherwise.
  const template = { spec: { securityContext: { runAsUser: 65532 }, ...SHARED } };
  const config = {
    configVersion: 'v1',
    settings: { ...settings, executor: pool === undefined ? { job: { ...job, template } } : { workers: { pool } } },
    ...bindings,
  };
  return `#!/bin/bash
set -eu
if [ "\${1:-}" = --config ]; then
  cat <<CONFIG
${JSON.stringify(config)}
CONFIG
  exit
fi
create() {
  jq -nc --arg name "$1" --arg namespace "$2" --arg host "$(cat /etc/hostname)" \\
    '{operation: "Create", object: {apiVersion: "v1", kind: "ConfigMap", metadata: {$name, $namespace}, data: {$host}}}'
}
${before}
while read -r namespace name; do
  echo "it works on $name"
  ${work}
  create "did-$name-$RUN_ID" "$namespace" >> "$KUBERNETES_PATCH_PATH"
done < <(jq -r '.[] | (.objects[]?.object, .object // empty).metadata | "\\(.namespace) \\(.name)"' "$BINDING_CONTEXT_PATH")
`;
}
