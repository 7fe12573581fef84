import { NotAllowedError } from './kubernetes.ts';
import { couldBeMade, type Plan } from './made-anew.ts';
import type { Quota } from './quota.ts';
import { ordinalOf, revisionToBeMade } from './revision.ts';
import type { Turn } from './turn.ts';

/** The used fields of a StatefulSet. */
interface Template {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly serviceName?: string;
    readonly template: { readonly metadata?: Meta; readonly spec: { readonly volumes?: readonly Named[] } };
    readonly volumeClaimTemplates?: readonly { readonly metadata: Meta & Named; readonly spec: object }[];
  };
}

interface Meta {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Named {
  readonly name: string;
}

/** Messages that mean: the old disk binds the Pod to a node, so a new disk may help. */
const DISK_IS_ELSEWHERE = /volume node affinity conflict|didn't match PersistentVolume's node affinity/;

/**
 * Whether claim and Pod could be created again, as far as that can be known: a dry run at the API server includes
 * admission and quotas. The scheduler cannot be asked; instead, a Pod that is unschedulable now counts.
 */
export async function guardNewPod(turn: Turn): Promise<boolean> {
  const { kubernetes, settings, facts, outcome } = turn;
  const { target, targetPod } = facts;
  if (target === undefined) return false;
  const unschedulable = targetPod?.unschedulable ?? '';
  if (unschedulable !== '' && !DISK_IS_ELSEWHERE.test(unschedulable)) {
    return outcome.refuse(
      'PodUnschedulable',
      `No node takes ${target.pod}: ${unschedulable} Nothing is replaced: a new one would fare no better. Make room for it: kubectl describe pod ${target.pod}.`,
    );
  }
  const { namespace, statefulset } = settings;
  try {
    const set = await kubernetes.get<Template>(`/apis/apps/v1/namespaces/${namespace}/statefulsets/${statefulset}`);
    const { items } = await kubernetes.get<{ readonly items: readonly Quota[] }>(
      `/api/v1/namespaces/${namespace}/resourcequotas`,
    );
    for (const plan of plansFor(turn, set, target.pod)) if (!(await guardPlan(turn, plan, items))) return false;
    return true;
  } catch (error) {
    if (error instanceof NotAllowedError) return refuseWithoutRight(turn, error.message);
    return outcome.waitForNews('not known whether a new Pod can be made: the API server cannot be asked', {
      pod: target.pod,
      why: String(error),
    });
  }
}

function plansFor(turn: Turn, set: Template, pod: string): readonly Plan[] {
  const { facts, outcome } = turn;
  const { updates } = facts.objects.statefulset;
  const claims = claimsFor(turn, set, pod);
  if (revisionToBeMade(updates, pod) === updates.update) {
    return [
      ...claims,
      { plural: 'pods', object: podOf(set, pod, updates.update), isThere: facts.targetPod !== undefined },
    ];
  }
  outcome.say('the template is not that of the Pod that would be made, so only its claims are tried', { pod });
  return claims;
}

/** The one with the data goes; of the others those that are not there. */
function claimsFor({ settings, facts }: Turn, { spec }: Template, pod: string): readonly Plan[] {
  const { claims, statefulset } = facts.objects;
  const data = settings.dataClaim ?? statefulset.claim;
  return (spec.volumeClaimTemplates ?? [])
    .map((claim) => {
      const name = `${claim.metadata.name}-${pod}`;
      const object = { ...claim, metadata: { ...claim.metadata, name } };
      return { plural: 'persistentvolumeclaims', object, isThere: claims.some((one) => one.name === name) } as const;
    })
    .filter(({ object, isThere }) => !isThere || object.metadata.name === `${data}-${pod}`);
}

async function guardPlan({ kubernetes, settings, facts, outcome }: Turn, plan: Plan, quotas: readonly Quota[]) {
  const making = await couldBeMade({ kubernetes, namespace: settings.namespace, quotas }, plan);
  const pod = facts.target?.pod ?? '';
  switch (making.is) {
    case 'possible':
      return true;
    case 'unknown':
      outcome.say('not known whether it can be made: a webhook of the cluster does not support dry runs', {
        pod,
        said: making.why,
      });
      return true;
    case 'forbidden':
      return refuseWithoutRight({ facts, outcome }, making.why);
    case 'refused':
      return outcome.refuse(
        'PodCannotBeMade',
        `${plan.plural === 'pods' ? 'The Pod' : 'A claim of the Pod'} ${pod} could not be made anew, so its disk is left alone: ${making.why} Mend that first.`,
      );
  }
}

function refuseWithoutRight({ facts, outcome }: Pick<Turn, 'facts' | 'outcome'>, said: string): boolean {
  return outcome.refuse(
    'RightsMissing',
    `${said}. So nobody can tell whether ${facts.target?.pod} could be made anew, and it is not replaced: apply manifests/base/rbac.yaml.`,
  );
}

/** The object as the StatefulSet creates it. */
function podOf({ metadata, spec }: Template, pod: string, revision: string): object {
  const { template, serviceName = '', volumeClaimTemplates = [] } = spec;
  const claimed = volumeClaimTemplates.map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${pod}` },
  }));
  const others = (template.spec.volumes ?? []).filter(({ name }) => !claimed.some((volume) => volume.name === name));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: pod,
      labels: {
        ...template.metadata?.labels,
        'statefulset.kubernetes.io/pod-name': pod,
        'apps.kubernetes.io/pod-index': String(ordinalOf(pod)),
        'controller-revision-hash': revision,
      },
      annotations: template.metadata?.annotations,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', ...named(metadata), controller: true }],
    },
    spec: { ...template.spec, hostname: pod, subdomain: serviceName, volumes: [...others, ...claimed] },
  };
}

function named({ name, uid }: Template['metadata']): Template['metadata'] {
  return { name, uid };
}
