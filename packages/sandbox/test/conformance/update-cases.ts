/** What an object is before its update. */
export interface Start {
  readonly place: readonly [group: string, plural: string];
  readonly spec: object;
  readonly status?: object;
}

/** How an update is sent. */
export type Way = 'put' | 'merge' | 'apply';

const container = { name: 'c', image: 'i', resources: { limits: { cpu: '1' } } };
const milli = { ...container, resources: { limits: { cpu: '1000m' } } };
const other = { ...container, image: 'j' };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
const selector = { matchLabels: { a: 'b' } };
const wideSelector = { selector: { ...selector, matchExpressions: [] } };
const spec = { replicas: 0, selector, template };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, storageClassName: 'a' };
const source = { kind: 'PersistentVolumeClaim', name: 's' };
const claims = [{ metadata: { name: 'data' }, spec: claim }];
const job = { template: { spec: { containers: [container], restartPolicy: 'Never' } } };
const indexed = { ...job, completionMode: 'Indexed', completions: 2, parallelism: 2, suspend: true };
const toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
const pod = {
  containers: [container],
  activeDeadlineSeconds: 100,
  automountServiceAccountToken: false,
  tolerations: [toleration],
};
const term = { weight: 1, podAffinityTerm: { topologyKey: 'a' } };
const nodes = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] };
const sized = (storage: string): object => ({ resources: { requests: { storage } } });
const templated = (fields: object): object => ({ template: { spec: fields } });

const sets = ['apis/apps/v1', 'statefulsets'] as const;
const jobs = ['apis/batch/v1', 'jobs'] as const;
const volumes = ['api/v1', 'persistentvolumeclaims'] as const;
const pods = ['api/v1', 'pods'] as const;

/** The objects that are updated. */
export const STARTS = {
  deployment: { place: ['apis/apps/v1', 'deployments'], spec },
  'replica set': { place: ['apis/apps/v1', 'replicasets'], spec },
  'daemon set': { place: ['apis/apps/v1', 'daemonsets'], spec: { selector, template } },
  'stateful set': { place: sets, spec: { ...spec, serviceName: 's', volumeClaimTemplates: claims } },
  'stateful set without claims': { place: sets, spec: { ...spec, serviceName: 's' } },
  job: { place: jobs, spec: job },
  'suspended job': { place: jobs, spec: { ...job, suspend: true } },
  'indexed job': { place: jobs, spec: indexed },
  'parallel job': { place: jobs, spec: { ...job, parallelism: 2, suspend: true } },
  claim: { place: volumes, spec: claim },
  'claim with a source': { place: volumes, spec: { ...claim, dataSource: source } },
  'bound claim': { place: volumes, spec: claim, status: { phase: 'Bound', capacity: { storage: '1Gi' } } },
  pod: { place: pods, spec: pod },
  'assigned pod': { place: pods, spec: { ...pod, nodeName: 'n' } },
} satisfies { readonly [kind: string]: Start };

/** One of the objects that are updated. */
export type Kind = keyof typeof STARTS;

/** Updates that change nothing, or what is free. */
export const TAKEN: readonly (readonly [kind: Kind, way: Way, change: object])[] = [
  ['deployment', 'merge', wideSelector],
  ['replica set', 'merge', wideSelector],
  ['daemon set', 'merge', wideSelector],
  ['stateful set', 'merge', wideSelector],
  ['stateful set', 'merge', { volumeClaimTemplates: [{ ...claims[0], spec: { ...claim, ...sized('2048Mi') } }] }],
  ['stateful set', 'put', { volumeClaimTemplates: [{ ...claims[0], spec: { ...claim, volumeMode: 'Filesystem' } }] }],
  [
    'stateful set',
    'put',
    {
      volumeClaimTemplates: [
        { metadata: { name: 'data', labels: {}, creationTimestamp: null }, spec: claim, status: {} },
      ],
    },
  ],
  ['stateful set without claims', 'merge', { volumeClaimTemplates: [] }],
  ['job', 'merge', templated({ containers: [milli] })],
  ['job', 'merge', templated({ volumes: [], tolerations: [], nodeSelector: {} })],
  ['job', 'merge', templated({ containers: [{ ...container, env: [] }] })],
  ['suspended job', 'merge', templated({ nodeSelector: { a: 'b' }, tolerations: [toleration] })],
  ['suspended job', 'merge', { template: { metadata: { annotations: { a: 'b' }, labels: { a: 'b' } } } }],
  [
    'suspended job',
    'merge',
    templated({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nodes } } }),
  ],
  ['indexed job', 'merge', { completions: 3, parallelism: 3 }],
  ['parallel job', 'merge', { parallelism: 3 }],
  ['claim', 'put', sized('2048Mi')],
  ['claim', 'merge', sized('2048Mi')],
  ['claim', 'apply', sized('2048Mi')],
  ['claim with a source', 'put', { dataSource: undefined, dataSourceRef: source }],
  ['claim with a source', 'put', { dataSource: source, dataSourceRef: undefined }],
  // It was never given all that it asked for.
  ['bound claim', 'merge', sized('1500Mi')],
  ['pod', 'merge', { containers: [milli] }],
  ['pod', 'merge', { nodeSelector: {} }],
  ['pod', 'merge', { activeDeadlineSeconds: 50 }],
  [
    'pod',
    'merge',
    {
      tolerations: [
        { ...toleration, tolerationSeconds: 9 },
        { ...toleration, key: 'b' },
      ],
    },
  ],
];

const immutable = (field: string): RegExp => new RegExp(`spec\\.${field}: Invalid value: .*: field is immutable`, 's');
const CLAIM_RULE = /spec: Forbidden: spec is immutable after creation except resources\.requests and volumeAttr/;
const POD_RULE = /spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/;
const POSITIVE = /spec\.resources\[storage\]: Invalid value: .*: must be greater than zero/;
const failures = { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] };

/** Updates that change what must stay. */
export const REFUSED: readonly (readonly [kind: Kind, way: Way, change: object, problem: RegExp])[] = [
  ['stateful set', 'merge', { volumeClaimTemplates: [] }, /spec: Forbidden: updates to statefulset spec for fields/],
  ['stateful set', 'merge', { serviceName: 't' }, /spec: Forbidden: updates to statefulset spec for fields/],
  ['job', 'merge', templated({ containers: [other] }), immutable('template')],
  ['job', 'merge', templated({ nodeSelector: { a: 'b' } }), immutable('template')],
  ['job', 'merge', { completions: 2 }, immutable('completions')],
  ['job', 'merge', { managedBy: 'example.com/a' }, immutable('managedBy')],
  ['job', 'put', { selector: undefined }, immutable('selector')],
  ['job', 'put', { template: job.template }, immutable('template')],
  ['suspended job', 'merge', templated({ containers: [other] }), immutable('template')],
  [
    'suspended job',
    'merge',
    templated({ affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } } }),
    immutable('template'),
  ],
  [
    'suspended job',
    'merge',
    { template: { metadata: { labels: { 'batch.kubernetes.io/controller-uid': null } } } },
    /spec\.template\.metadata\.labels: Invalid value: .*: `selector` does not match template `labels`/s,
  ],
  ['parallel job', 'merge', { completions: 1 }, immutable('completions')],
  ['indexed job', 'merge', { completions: 3 }, /completions: Invalid value: 3: can only be modified in tandem with/],
  ['indexed job', 'merge', { completionMode: 'NonIndexed' }, immutable('completionMode')],
  ['indexed job', 'merge', { podFailurePolicy: failures }, immutable('podFailurePolicy')],
  ['indexed job', 'merge', { backoffLimitPerIndex: 1 }, immutable('backoffLimitPerIndex')],
  ['indexed job', 'merge', { successPolicy: { rules: [{ succeededCount: 1 }] } }, immutable('successPolicy')],
  ['claim', 'merge', { storageClassName: 'b' }, CLAIM_RULE],
  ['claim', 'merge', sized('3Gi'), CLAIM_RULE],
  ['claim with a source', 'put', { dataSource: undefined, dataSourceRef: undefined }, CLAIM_RULE],
  ['bound claim', 'merge', { accessModes: ['ReadWriteMany'] }, CLAIM_RULE],
  ['bound claim', 'merge', { resources: { requests: { cpu: '1' } } }, CLAIM_RULE],
  ['bound claim', 'merge', { resources: { requests: null } }, CLAIM_RULE],
  [
    'bound claim',
    'merge',
    { accessModes: [] },
    /spec\.accessModes: Required value: at least 1 access mode is required/,
  ],
  ['bound claim', 'merge', sized('1Gi'), /requests\.storage: Forbidden: field can not be less than status\.capacity/],
  ['bound claim', 'merge', sized('0'), POSITIVE],
  ['bound claim', 'merge', sized('-1Gi'), POSITIVE],
  ['pod', 'merge', { nodeName: 'n' }, POD_RULE],
  ['assigned pod', 'put', { nodeName: undefined }, POD_RULE],
  ['pod', 'merge', { containers: [{ ...container, imagePullPolicy: 'Never' }] }, POD_RULE],
  [
    'pod',
    'merge',
    { activeDeadlineSeconds: 200 },
    /activeDeadlineSeconds: Invalid value: 200: must be less than or eq/,
  ],
  ['pod', 'merge', { activeDeadlineSeconds: null }, /must not update from a positive integer to nil value/],
  [
    'pod',
    'merge',
    { tolerations: [] },
    /tolerations: Forbidden: existing toleration can not be modified except its tol/,
  ],
  [
    'pod',
    'merge',
    { schedulingGates: [{ name: 'a.b/c' }] },
    /Forbidden: only deletion is allowed, but found new sched/,
  ],
];

const FORM =
  /in version "v1" cannot be handled as a PersistentVolumeClaim: quantities must match the regular expression '\^/;

/** Updates with something else where a quantity belongs. */
export const UNREAD: readonly (readonly [kind: Kind, way: Way, change: object, problem: RegExp])[] = [
  ['bound claim', 'put', sized('abc'), FORM],
];
