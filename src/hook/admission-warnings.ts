import type { AdmissionBinding } from './ask-binding.ts';
import type { Hook } from './binding.ts';
import { admissionBindings } from './webhook-names.ts';

/** Resources that nodes and the control plane write themselves: a webhook that fails stops the cluster from healing. */
const VITAL: ReadonlyMap<string, string> = new Map([
  ['pods', 'no Pod starts'],
  ['nodes', 'no node joins'],
  ['leases', 'nodes and the control plane lose their leases'],
  ['events', 'no Event is written'],
  ['*', 'nothing of its API groups is written'],
  ['*/*', 'nothing of its API groups is written'],
]);

/** From here on a time limit is too short for a hook whose interpreter starts slowly. */
const SHORT_TIMEOUT_SECONDS = 2;

/** Warnings about admission webhooks that are valid but risky, one line each. */
export function admissionWarnings(hook: Pick<Hook, 'bindings' | 'type'>): readonly string[] {
  return admissionBindings(hook).flatMap((binding) =>
    warningsOf(binding, hook.type).map((warning) => `${binding.type} ${binding.name}: ${warning}`),
  );
}

function warningsOf(binding: AdmissionBinding, type: Hook['type']): readonly string[] {
  return [
    ...outageWarnings(binding),
    ...(binding.rules.length === 0 ? ['it has no rules, so it is called for nothing'] : []),
    ...(binding.matchOwnNamespace === true && binding.rules.some(isAboutStarting)
      ? [
          'matchOwnNamespace: true lets it judge the Pods, the Lease and the Secrets of hooklet: when it fails, hooklet cannot be started again to repair it',
        ]
      : []),
    ...(type === 'process' && binding.timeoutSeconds < SHORT_TIMEOUT_SECONDS
      ? [
          `a timeout of ${binding.timeoutSeconds} s leaves little to a process that is started for each request; python and node take 40 to 200 ms to start`,
        ]
      : []),
  ];
}

/** The groups of what has to be written before hooklet runs: its Deployment, its Pods, Secrets and Lease. */
const STARTING: ReadonlySet<string> = new Set(['*', '', 'apps', 'coordination.k8s.io']);

function isAboutStarting({ apiGroups }: AdmissionBinding['rules'][number]): boolean {
  return apiGroups.some((group) => STARTING.has(group));
}

/** A webhook without an answer refuses what its rules name, also where nobody thinks of it. */
function outageWarnings(binding: AdmissionBinding): readonly string[] {
  const { rules, failurePolicy, namespaceSelector, objectSelector, matchConditions } = binding;
  const isLimited = objectSelector !== undefined || matchConditions.length > 0;
  if (failurePolicy === 'Ignore' || namespaceSelector !== undefined || isLimited) return [];
  const vital = new Set(rules.flatMap(({ resources }) => resources.filter((one) => VITAL.has(one))));
  return [...vital].map(
    (resource) =>
      `it judges ${resource === '*' ? 'all resources' : resource} in all namespaces, and while it has no answer ${VITAL.get(resource) ?? ''}; add a namespaceSelector that leaves out kube-system, or failurePolicy: Ignore, with which a hook that fails still denies`,
  );
}
