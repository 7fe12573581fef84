import { isPowerful } from './manifests.ts';
import type { Need } from './need.ts';

/** What a person should decide about the rules, in words; `withWebhooks`: the powerful ones are among them. */
export function risksOf(needs: readonly Need[], withWebhooks: boolean): readonly string[] {
  const risks = needs.flatMap((need) => riskOf(need));
  const isLeftOut = !withWebhooks && needs.some(isPowerful);
  return [...new Set([...risks, ...(isLeftOut ? [LEFT_OUT] : [])])];
}

const LEFT_OUT =
  'the rights to register webhooks and converters are left out, for they are nearly those of an administrator: give --webhooks to have them in a ClusterRole of their own';

const GRANTING = ['roles', 'clusterroles'];
const BINDING = ['rolebindings', 'clusterrolebindings'];
const WRITES = ['create', 'update', 'patch'];
const READS = ['get', 'list', 'watch'];

function riskOf(need: Need): readonly string[] {
  const { group, resource, isUnverified } = need;
  const shown = `${resource} of ${group === '' ? 'the core group' : group}`;
  return [
    ...(group === 'rbac.authorization.k8s.io' ? grantingRisk(need) : []),
    ...secretRisk(need),
    ...(group === '' && resource === 'pods/exec' ? ['pods/exec runs commands in Pods, with their rights'] : []),
    ...(isUnverified === true ? [`${shown} is unverified`] : []),
  ];
}

function grantingRisk({ resource, verb }: Need): readonly string[] {
  if (!WRITES.includes(verb)) return [];
  const never = 'which is never made here: add it by hand if you mean it';
  if (GRANTING.includes(resource)) {
    return [`writing ${resource} needs the rights that they grant, or the verb escalate, ${never}`];
  }
  return BINDING.includes(resource)
    ? [`writing ${resource} needs the rights that they bind, or the verb bind, ${never}`]
    : [];
}

/** What to say of a need that lets every Secret of the cluster be read; empty for any other. */
export function secretRisk({ group, resource, namespace, name, verb }: Need): readonly string[] {
  const isSecrets = group === '' && resource === 'secrets';
  const isEvery = isSecrets && namespace === '' && name === undefined && READS.includes(verb);
  return isEvery ? ['every Secret of the cluster can be read: name the namespaces in the binding'] : [];
}
