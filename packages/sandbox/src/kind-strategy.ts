import type { ServedKind } from './kind.ts';

const WITHOUT_GENERATION = new Set(
  [
    'v1 bindings configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes',
    'resourcequotas secrets serviceaccounts services apiservices.apiregistration.k8s.io',
    'controllerrevisions.apps horizontalpodautoscalers.autoscaling certificatesigningrequests.certificates.k8s.io',
    'leases.coordination.k8s.io storageclasses.storage.k8s.io csidrivers.storage.k8s.io csinodes.storage.k8s.io',
    'csistoragecapacities.storage.k8s.io volumeattachments.storage.k8s.io volumeattributesclasses.storage.k8s.io',
    'clusterrolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io',
    'rolebindings.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io runtimeclasses.node.k8s.io',
    'resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io ipaddresses.networking.k8s.io',
  ].flatMap((row) => row.split(' ')),
);

/** Whether `metadata.generation` counts the writes to the spec. */
export function hasGeneration(kind: ServedKind): boolean {
  return kind.custom !== undefined || !WITHOUT_GENERATION.has(kind.collection);
}

const CREATED_ON_UPDATE = new Set([
  'services',
  'endpoints',
  'events',
  'limitranges',
  'leases.coordination.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'runtimeclasses.node.k8s.io',
]);

/** Whether a PUT of an object that does not exist creates it. */
export function isCreatedOnUpdate(kind: ServedKind): boolean {
  return CREATED_ON_UPDATE.has(kind.collection);
}

const CONDITIONAL_UPDATE = new Set([
  'leases.coordination.k8s.io',
  'poddisruptionbudgets.policy',
  'csistoragecapacities.storage.k8s.io',
  'csidrivers.storage.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'runtimeclasses.node.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
]);

/** Whether a PUT must give the resourceVersion that it is based on. */
export function needsResourceVersion(kind: ServedKind): boolean {
  return kind.custom !== undefined || CONDITIONAL_UPDATE.has(kind.collection);
}

const RETURNED_WHEN_DELETED = new Set([
  'pods',
  'services',
  'serviceaccounts',
  'resourcequotas',
  'podtemplates',
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses.storage.k8s.io',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
]);

/** Whether a DELETE that removes the object at once answers with the object instead of a Status. */
export function isReturnedWhenDeleted(kind: ServedKind): boolean {
  return RETURNED_WHEN_DELETED.has(kind.collection);
}
