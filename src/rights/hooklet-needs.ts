import { isAskBinding } from '../hook/ask-binding.ts';
import type { Binding, Hook } from '../hook/binding.ts';
import { jobNeeds } from './job-needs.ts';
import type { Need } from './need.ts';
import { namedNeeds, ownNeeds, type OwnNeed } from './own-needs.ts';
import { workerNeeds } from './worker-needs.ts';

/** What is switched on of hooklet, as its flags say. */
export interface HookletFeatures {
  /** Its own. */
  readonly namespace: string;
  /** The name of the Lease; absent: without leader election. */
  readonly lease?: string;
  /** What the Leases and the ConfigMap of replicas that divide objects are named after; absent: they do not. */
  readonly shards?: string;
  /** The ConfigMap with the state of schedules; absent: a file, or nothing. */
  readonly scheduleState?: { readonly name: string; readonly isForced: boolean };
  /** The ConfigMap with dead letters and pauses. */
  readonly deadLetters?: { readonly name: string; readonly isForced: boolean };
  readonly pauseByNamespace: boolean;
  /** The webhook configurations. */
  readonly webhookConfiguration: string;
  /** The Secret with the certificate of webhooks; absent: it is in files. */
  readonly certificate?: { readonly name: string; readonly isSelfMade: boolean };
  /** The Secret with the certificate of the port that the Pods of Jobs and workers ask. */
  readonly jobsCertificate: string;
}

/** What hooklet needs for itself, by what is switched on and what the hooks have. */
export function hookletNeeds(
  hooks: readonly Pick<Hook, 'name' | 'bindings' | 'settings'>[],
  features: HookletFeatures,
): readonly Need[] {
  const bindings = hooks.flatMap((hook) => hook.bindings);
  return [
    ...leaseNeeds(features),
    ...shardsNeeds(features),
    ...hooks.flatMap((hook) => lockNeeds(hook, features)),
    ...stateNeeds(bindings, features),
    ...webhookNeeds(bindings, features),
    ...tokenNeeds(bindings),
    ...jobNeeds(hooks, features),
    ...workerNeeds(hooks, features),
    ...eventNeeds(features),
    ...(features.pauseByNamespace ? PAUSE : []),
  ].map((need): Need => ({ ...need, of: { type: 'hooklet' } }));
}

const PAUSE = ownNeeds({ group: '', resource: 'namespaces', namespace: '', reason: '--pause-by-namespace' }, [
  'list',
  'watch',
]);

function leaseNeeds({ lease, namespace }: HookletFeatures): readonly OwnNeed[] {
  if (lease === undefined) return [];
  const base = { group: 'coordination.k8s.io', resource: 'leases', namespace, reason: '--leader-elect' };
  return namedNeeds({ ...base, name: lease }, ['get', 'create', 'update']);
}

/** The Leases are of Pods, whose names nobody knows before. */
function shardsNeeds({ shards, namespace }: HookletFeatures): readonly OwnNeed[] {
  if (shards === undefined) return [];
  const leases = { group: 'coordination.k8s.io', resource: 'leases', namespace, reason: '--shards: the replicas' };
  const slices = { group: '', resource: 'configmaps', namespace, reason: '--shards: who has what' };
  return [
    ...ownNeeds(leases, ['get', 'list', 'create', 'update', 'delete']),
    ...namedNeeds({ ...slices, name: `${shards}-slices` }, ['get', 'create', 'update']),
  ];
}

/** A lock is renewed under its name, and created where it is not there. */
function lockNeeds(
  { name: hook, bindings }: Pick<Hook, 'name' | 'bindings'>,
  features: HookletFeatures,
): readonly OwnNeed[] {
  const locks = bindings.flatMap((binding) => ('lock' in binding && binding.lock !== undefined ? binding.lock : []));
  return locks.flatMap(({ name, namespace = features.namespace }) => {
    const reason = `the lock "${name}" of ${hook}`;
    return namedNeeds({ group: 'coordination.k8s.io', resource: 'leases', namespace, name, reason }, LOCK_VERBS);
  });
}

const LOCK_VERBS = ['get', 'create', 'update'];

function stateNeeds(bindings: readonly Binding[], features: HookletFeatures): readonly OwnNeed[] {
  const { namespace, scheduleState, deadLetters, shards } = features;
  const makesUp = bindings.some((binding) => binding.type === 'schedule' && binding.missed.type !== 'skip');
  const mayGiveUp = bindings.some(
    (binding) => binding.type === 'reconcile' || ('retry' in binding && binding.retry?.onExhausted === 'dead'),
  );
  return [
    ...configMap(namespace, scheduleState, { isNeeded: makesUp, reason: 'the state of schedules' }),
    ...configMap(namespace, deadLetters, {
      // Replicas that divide objects read in it what is paused.
      isNeeded: mayGiveUp || shards !== undefined,
      reason: 'dead letters and pauses, which are forgotten at the end without it',
      isOptional: true,
    }),
  ];
}

function configMap(
  namespace: string,
  place: HookletFeatures['deadLetters'],
  { isNeeded, ...why }: { readonly isNeeded: boolean; readonly reason: string; readonly isOptional?: true },
): readonly OwnNeed[] {
  if (place === undefined || !(isNeeded || place.isForced)) return [];
  return namedNeeds({ group: '', resource: 'configmaps', namespace, name: place.name, ...why }, [
    'get',
    'create',
    'patch',
  ]);
}

const ADMISSION = 'admissionregistration.k8s.io';

function webhookNeeds(bindings: readonly Binding[], features: HookletFeatures): readonly OwnNeed[] {
  const asked = bindings.filter(isAskBinding);
  const crds = asked.flatMap((one) => (one.type === 'kubernetesCustomResourceConversion' ? one.crdName : []));
  const judges = asked.filter(({ type }) => type !== 'kubernetesCustomResourceConversion');
  return [
    ...(judges.length === 0 ? [] : registrationNeeds(judges, features)),
    ...[...new Set(crds)].flatMap((name) =>
      namedNeeds(
        {
          group: 'apiextensions.k8s.io',
          resource: 'customresourcedefinitions',
          namespace: '',
          name,
          reason: 'the converter is written into the definition',
        },
        ['get', 'list', 'watch', 'patch'],
      ),
    ),
    ...(asked.length === 0 ? [] : certificateNeeds(features)),
  ];
}

/** Those of the other type are read to take back what an earlier version of the hooks registered. */
function registrationNeeds(judges: readonly Binding[], features: HookletFeatures): readonly OwnNeed[] {
  const { namespace, webhookConfiguration: name } = features;
  const reason = 'registration of webhooks';
  const types = [
    ['kubernetesValidating', 'validatingwebhookconfigurations'],
    ['kubernetesMutating', 'mutatingwebhookconfigurations'],
  ] as const;
  const all = types.flatMap(([type, resource]) => {
    const base = { group: ADMISSION, resource, namespace: '', name, reason };
    const isUsed = judges.some((binding) => binding.type === type);
    return [
      ...namedNeeds(base, ['get', 'list', 'watch']),
      ...(isUsed ? namedNeeds(base, ['create', 'patch']) : []),
      ...(isUsed
        ? namedNeeds({ ...base, reason: 'webhooks that no hook has any more are taken back', isOptional: true }, [
            'delete',
          ])
        : []),
    ];
  });
  const pods = {
    group: '',
    resource: 'pods',
    namespace,
    reason: 'whether the replica that registered webhooks is gone',
  };
  return [...all, ...ownNeeds({ ...pods, isOptional: true }, ['get'])];
}

function certificateNeeds({ certificate, namespace }: HookletFeatures): readonly OwnNeed[] {
  if (certificate === undefined) return [];
  const { name, isSelfMade } = certificate;
  const reason = isSelfMade ? 'the certificate of webhooks that hooklet makes' : 'the certificate of webhooks';
  const base = { group: '', resource: 'secrets', namespace, name, reason };
  return namedNeeds(base, ['get', 'list', 'watch', ...(isSelfMade ? ['patch', 'create'] : [])]);
}

function tokenNeeds(bindings: readonly Binding[]): readonly OwnNeed[] {
  const isAsked = bindings.some((binding) => binding.type === 'http' && binding.authentication.type === 'token');
  if (!isAsked) return [];
  const reason = 'callers of http bindings show a token';
  return [
    ...ownNeeds({ group: 'authentication.k8s.io', resource: 'tokenreviews', namespace: '', reason }, ['create']),
    ...ownNeeds({ group: 'authorization.k8s.io', resource: 'subjectaccessreviews', namespace: '', reason }, ['create']),
  ];
}

function eventNeeds({ namespace }: HookletFeatures): readonly OwnNeed[] {
  const reason = 'Events about its own Pod, where POD_NAME is set';
  return ownNeeds({ group: '', resource: 'events', namespace, reason, isOptional: true }, ['create', 'patch']);
}
