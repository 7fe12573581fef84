/** The top-level fields of a built-in kind; the API server drops any other. */
export function topLevelFieldsOf({
  group,
  kind,
}: {
  readonly group: string;
  readonly kind: string;
}): readonly string[] {
  return ['apiVersion', 'kind', 'metadata', ...(FIELDS[`${kind}.${group}`] ?? ['spec', 'status'])];
}

const EVENT = ['action', 'eventTime', 'reason', 'related', 'reportingInstance', 'series', 'type'];

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'Binding.': ['target'],
  'ComponentStatus.': ['conditions'],
  'ConfigMap.': ['binaryData', 'data', 'immutable'],
  'Endpoints.': ['subsets'],
  'Event.': [
    ...EVENT,
    'count',
    'firstTimestamp',
    'involvedObject',
    'lastTimestamp',
    'message',
    'reportingComponent',
    'source',
  ],
  'PodTemplate.': ['template'],
  'Secret.': ['data', 'immutable', 'stringData', 'type'],
  'ServiceAccount.': ['automountServiceAccountToken', 'imagePullSecrets', 'secrets'],
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': ['webhooks'],
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': ['webhooks'],
  'ControllerRevision.apps': ['data', 'revision'],
  'EndpointSlice.discovery.k8s.io': ['addressType', 'endpoints', 'ports'],
  'Event.events.k8s.io': [
    ...EVENT,
    'deprecatedCount',
    'deprecatedFirstTimestamp',
    'deprecatedLastTimestamp',
    'deprecatedSource',
    'note',
    'regarding',
    'reportingController',
  ],
  'RuntimeClass.node.k8s.io': ['handler', 'overhead', 'scheduling'],
  'Eviction.policy': ['deleteOptions'],
  'ClusterRole.rbac.authorization.k8s.io': ['aggregationRule', 'rules'],
  'ClusterRoleBinding.rbac.authorization.k8s.io': ['roleRef', 'subjects'],
  'Role.rbac.authorization.k8s.io': ['rules'],
  'RoleBinding.rbac.authorization.k8s.io': ['roleRef', 'subjects'],
  'PriorityClass.scheduling.k8s.io': ['description', 'globalDefault', 'preemptionPolicy', 'value'],
  'CSIStorageCapacity.storage.k8s.io': ['capacity', 'maximumVolumeSize', 'nodeTopology', 'storageClassName'],
  'StorageClass.storage.k8s.io': [
    'allowVolumeExpansion',
    'allowedTopologies',
    'mountOptions',
    'parameters',
    'provisioner',
    'reclaimPolicy',
    'volumeBindingMode',
  ],
  'VolumeAttributesClass.storage.k8s.io': ['driverName', 'parameters'],
};
