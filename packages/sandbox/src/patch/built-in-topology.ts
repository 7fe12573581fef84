import type { JsonObject, JsonValue } from '../json.ts';
import { topLevelFieldsOf } from '../schema/built-in-fields.ts';
import type { ListTopology, ObjectTopology, Topology } from './topology.ts';
import { ATOMIC, MAP, STRING_MAP, STRUCT } from './topology.ts';

/** The topology of a built-in kind; it is the same for all versions unless this file says otherwise. */
export function builtInTopology({ group, version, kind }: BuiltInKind): ObjectTopology {
  const special = KINDS[`${kind}.${group}/${version}`] ?? KINDS[`${kind}.${group}`] ?? {};
  const plain = Object.fromEntries(topLevelFieldsOf({ group, kind }).map((name) => [name, STRUCT]));
  return { type: 'object', fields: { ...plain, metadata: OBJECT_META, ...special }, others: 'forbidden' };
}

/** Identifies a version of a kind. */
export interface BuiltInKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Whether a group is built into the server, so that strategic merge patch works on it. */
export function isBuiltInGroup(group: string): boolean {
  return BUILT_IN_GROUPS.has(group);
}

/**
 * The structs and lists that always exist in the server's own types, even if empty; filling one in does not make a
 * manager own it.
 */
export const ALWAYS_PRESENT: JsonObject = {
  metadata: {},
  source: {},
  template: { metadata: {}, spec: { containers: null } },
  spec: {
    containers: null,
    resources: {},
    strategy: {},
    updateStrategy: {},
    template: { metadata: {}, spec: { containers: null } },
    jobTemplate: { metadata: {}, spec: { template: { metadata: {}, spec: { containers: null } } } },
  },
  status: { loadBalancer: {} },
};

const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  '',
  'apps',
  'batch',
  'autoscaling',
  'policy',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

type Fields = Readonly<Record<string, Topology>>;

function object(fields: Fields): ObjectTopology {
  return { type: 'object', fields, others: 'struct' };
}

/** A list whose items both strategic merge patch and apply merge by the field `key`. */
function keyed(key: string, element: Topology = STRUCT, keyDefaults: Record<string, JsonValue> = {}): ListTopology {
  const keys = [key, ...Object.keys(keyDefaults)];
  return { type: 'list', relation: 'map', keys, keyDefaults, element, mergeKey: key };
}

/** A list whose items only apply merges. */
function keyedForApply(key: string): ListTopology {
  return { type: 'list', relation: 'map', keys: [key], keyDefaults: {}, element: STRUCT };
}

/** A list whose items only strategic merge patch merges. */
function keyedForPatch(key: string): ListTopology {
  return { type: 'list', relation: 'atomic', keys: [], keyDefaults: {}, element: STRUCT, mergeKey: key };
}

function set(merged?: 'merged'): ListTopology {
  const list: ListTopology = { type: 'list', relation: 'set', keys: [], keyDefaults: {}, element: ATOMIC };
  return merged === undefined ? list : { ...list, mergeKey: '' };
}

const OBJECT_META = object({
  labels: STRING_MAP,
  annotations: STRING_MAP,
  finalizers: set('merged'),
  ownerReferences: keyed('uid', ATOMIC),
  managedFields: ATOMIC,
});

const KEY_REF = object({
  configMapKeyRef: ATOMIC,
  fieldRef: ATOMIC,
  fileKeyRef: ATOMIC,
  resourceFieldRef: ATOMIC,
  secretKeyRef: ATOMIC,
});

const RESOURCES = object({ claims: keyedForApply('name'), limits: MAP, requests: MAP });

const CONTAINER = object({
  env: keyed('name', object({ valueFrom: KEY_REF })),
  ports: keyed('containerPort', STRUCT, { protocol: 'TCP' }),
  resources: RESOURCES,
  volumeDevices: keyed('devicePath'),
  volumeMounts: keyed('mountPath'),
});

const CLAIM_SPEC = object({ dataSource: ATOMIC, resources: RESOURCES, selector: ATOMIC });

const VOLUME = object({
  cephfs: object({ secretRef: ATOMIC }),
  cinder: object({ secretRef: ATOMIC }),
  csi: object({ nodePublishSecretRef: ATOMIC, volumeAttributes: MAP }),
  ephemeral: object({ volumeClaimTemplate: object({ metadata: OBJECT_META, spec: CLAIM_SPEC }) }),
  flexVolume: object({ options: MAP, secretRef: ATOMIC }),
  iscsi: object({ secretRef: ATOMIC }),
  rbd: object({ secretRef: ATOMIC }),
  scaleIO: object({ secretRef: ATOMIC }),
  storageos: object({ secretRef: ATOMIC }),
});

const POD_SPEC = object({
  affinity: object({ nodeAffinity: object({ requiredDuringSchedulingIgnoredDuringExecution: ATOMIC }) }),
  containers: keyed('name', CONTAINER),
  ephemeralContainers: keyed('name', CONTAINER),
  hostAliases: keyed('ip'),
  imagePullSecrets: keyed('name', ATOMIC),
  initContainers: keyed('name', CONTAINER),
  nodeSelector: ATOMIC,
  overhead: MAP,
  resourceClaims: keyed('name'),
  resources: RESOURCES,
  schedulingGates: keyed('name'),
  topologySpreadConstraints: {
    ...keyed('topologyKey', object({ labelSelector: ATOMIC })),
    keys: ['topologyKey', 'whenUnsatisfiable'],
  },
  volumes: keyed('name', VOLUME),
});

const POD_TEMPLATE = object({ metadata: OBJECT_META, spec: POD_SPEC });
const CONDITIONS = object({ conditions: keyed('type') });
const APPLY_CONDITIONS = object({ conditions: keyedForApply('type') });
const WORKLOAD: Fields = { spec: object({ selector: ATOMIC, template: POD_TEMPLATE }), status: CONDITIONS };
const JOB_SPEC = object({ selector: ATOMIC, template: POD_TEMPLATE });
const SECRET_REFS = object({
  controllerExpandSecretRef: ATOMIC,
  controllerPublishSecretRef: ATOMIC,
  nodeExpandSecretRef: ATOMIC,
  nodePublishSecretRef: ATOMIC,
  nodeStageSecretRef: ATOMIC,
  secretRef: ATOMIC,
  volumeAttributes: MAP,
});
const VOLUME_SPEC = object({
  capacity: MAP,
  csi: SECRET_REFS,
  flexVolume: SECRET_REFS,
  iscsi: SECRET_REFS,
  rbd: SECRET_REFS,
  cephfs: SECRET_REFS,
  cinder: SECRET_REFS,
  scaleIO: SECRET_REFS,
  storageos: object({ secretRef: ATOMIC }),
  nodeAffinity: object({ required: ATOMIC }),
});
const WEBHOOKS: Fields = {
  webhooks: keyed(
    'name',
    object({ matchConditions: keyed('name'), namespaceSelector: ATOMIC, objectSelector: ATOMIC }),
  ),
};
const ADMISSION_POLICY_SPEC = object({
  matchConditions: keyed('name'),
  matchConstraints: ATOMIC,
  paramKind: ATOMIC,
  variables: keyed('name', ATOMIC),
});
const BACKEND = object({ resource: ATOMIC, service: object({ port: ATOMIC }) });
const CONDITIONS_ONLY: Fields = { status: CONDITIONS };

const KINDS: Readonly<Record<string, Fields>> = {
  'ConfigMap.': { data: STRING_MAP, binaryData: STRING_MAP },
  'Secret.': { data: STRING_MAP, stringData: STRING_MAP },
  'Namespace.': { status: CONDITIONS },
  'Node.': {
    spec: object({ podCIDRs: set('merged') }),
    status: object({ addresses: keyed('type'), allocatable: MAP, capacity: MAP, conditions: keyed('type') }),
  },
  'Pod.': {
    spec: POD_SPEC,
    status: object({
      conditions: keyed('type'),
      hostIPs: keyedForPatch('ip'),
      podIPs: keyed('ip'),
      resources: RESOURCES,
      resourceClaimStatuses: keyed('name'),
    }),
  },
  'PodTemplate.': { template: POD_TEMPLATE },
  'ReplicationController.': { spec: object({ selector: ATOMIC, template: POD_TEMPLATE }), status: CONDITIONS },
  'Service.': {
    spec: object({ ports: keyed('port', STRUCT, { protocol: 'TCP' }), selector: ATOMIC }),
    status: CONDITIONS,
  },
  'ServiceAccount.': { secrets: keyed('name', ATOMIC) },
  'Binding.': { target: ATOMIC },
  'Event.': { involvedObject: ATOMIC, related: ATOMIC },
  'Event.events.k8s.io': { regarding: ATOMIC, related: ATOMIC },
  'PersistentVolume.': { spec: VOLUME_SPEC },
  'PersistentVolumeClaim.': {
    spec: CLAIM_SPEC,
    status: object({
      allocatedResourceStatuses: MAP,
      allocatedResources: MAP,
      capacity: MAP,
      conditions: keyed('type'),
    }),
  },
  'ResourceQuota.': { spec: object({ hard: MAP, scopeSelector: ATOMIC }), status: object({ hard: MAP, used: MAP }) },
  'ComponentStatus.': { conditions: keyed('type') },
  'Deployment.apps': WORKLOAD,
  'ReplicaSet.apps': WORKLOAD,
  'StatefulSet.apps': WORKLOAD,
  'DaemonSet.apps': WORKLOAD,
  'ControllerRevision.apps': { data: MAP },
  'Job.batch': {
    spec: JOB_SPEC,
    status: object({
      conditions: keyedForPatch('type'),
      uncountedTerminatedPods: object({ failed: set(), succeeded: set() }),
    }),
  },
  'CronJob.batch': { spec: object({ jobTemplate: object({ metadata: OBJECT_META, spec: JOB_SPEC }) }) },
  'HorizontalPodAutoscaler.autoscaling': { status: CONDITIONS },
  'HorizontalPodAutoscaler.autoscaling/v1': { spec: object({ scaleTargetRef: ATOMIC }) },
  'PodDisruptionBudget.policy': {
    spec: object({ selector: { ...ATOMIC, strategy: 'replace' } }),
    status: CONDITIONS,
  },
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': WEBHOOKS,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': WEBHOOKS,
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': { spec: ADMISSION_POLICY_SPEC, status: APPLY_CONDITIONS },
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': {
    spec: object({ matchResources: ATOMIC, paramRef: ATOMIC, validationActions: set() }),
  },
  'CustomResourceDefinition.apiextensions.k8s.io': { status: APPLY_CONDITIONS },
  'APIService.apiregistration.k8s.io': CONDITIONS_ONLY,
  'CertificateSigningRequest.certificates.k8s.io': { status: APPLY_CONDITIONS },
  'FlowSchema.flowcontrol.apiserver.k8s.io': CONDITIONS_ONLY,
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': CONDITIONS_ONLY,
  'Ingress.networking.k8s.io': { spec: object({ defaultBackend: BACKEND }) },
  'NetworkPolicy.networking.k8s.io': { spec: object({ podSelector: ATOMIC }) },
  'ServiceCIDR.networking.k8s.io': CONDITIONS_ONLY,
  'RuntimeClass.node.k8s.io': { scheduling: object({ nodeSelector: ATOMIC }) },
  'RoleBinding.rbac.authorization.k8s.io': { roleRef: ATOMIC },
  'ClusterRoleBinding.rbac.authorization.k8s.io': { roleRef: ATOMIC },
  'ResourceClaim.resource.k8s.io': {
    status: object({
      allocation: object({ nodeSelector: ATOMIC }),
      devices: { ...keyedForApply('driver'), element: APPLY_CONDITIONS, keys: ['driver', 'device', 'pool', 'shareID'] },
      reservedFor: keyed('uid'),
    }),
  },
  'ResourceClaimTemplate.resource.k8s.io': { spec: object({ metadata: OBJECT_META }) },
  'ResourceSlice.resource.k8s.io': { spec: object({ nodeSelector: ATOMIC }) },
  'CSIStorageCapacity.storage.k8s.io': { nodeTopology: ATOMIC },
  'VolumeAttachment.storage.k8s.io': { spec: object({ source: object({ inlineVolumeSpec: VOLUME_SPEC }) }) },
  'StorageClass.storage.k8s.io': { parameters: MAP },
  'CSINode.storage.k8s.io': { spec: object({ drivers: keyed('name') }) },
  'CSIDriver.storage.k8s.io': { spec: object({ volumeLifecycleModes: set() }) },
};
