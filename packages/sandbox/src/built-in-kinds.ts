import { eventConversion, horizontalPodAutoscalerConversion } from './built-in-conversions.ts';
import type { ServedKind, Subresource } from './kind.ts';

/** The kinds that are served from the start. */
export function builtInKinds(): readonly ServedKind[] {
  return TABLE.trim()
    .split('\n')
    .map((row) => servedKind(row.trim().split(/ +/)));
}

// apiVersion plural Kind scope shortNames categories subresources verbs; a dash is nothing
const TABLE = `
v1 bindings Binding N - - - create
v1 componentstatuses ComponentStatus C cs - - get,list
v1 configmaps ConfigMap N cm - -
v1 endpoints Endpoints N ep - -
v1 events Event N ev - -
v1 limitranges LimitRange N limits - -
v1 namespaces Namespace C ns - finalize,status create,delete,get,list,patch,update,watch
v1 nodes Node C no - status
v1 persistentvolumeclaims PersistentVolumeClaim N pvc - status
v1 persistentvolumes PersistentVolume C pv - status
v1 pods Pod N po all binding,ephemeralcontainers,eviction,log,resize,status
v1 podtemplates PodTemplate N - - -
v1 replicationcontrollers ReplicationController N rc all scale,status
v1 resourcequotas ResourceQuota N quota - status
v1 secrets Secret N - - -
v1 serviceaccounts ServiceAccount N sa - token
v1 services Service N svc all status
apiregistration.k8s.io/v1 apiservices APIService C - api-extensions status
apps/v1 controllerrevisions ControllerRevision N - - -
apps/v1 daemonsets DaemonSet N ds all status
apps/v1 deployments Deployment N deploy all scale,status
apps/v1 replicasets ReplicaSet N rs all scale,status
apps/v1 statefulsets StatefulSet N sts all scale,status
events.k8s.io/v1 events Event N ev - -
authentication.k8s.io/v1 selfsubjectreviews SelfSubjectReview C - - - create
authentication.k8s.io/v1 tokenreviews TokenReview C - - - create
authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview N - - - create
authorization.k8s.io/v1 selfsubjectaccessreviews SelfSubjectAccessReview C - - - create
authorization.k8s.io/v1 selfsubjectrulesreviews SelfSubjectRulesReview C - - - create
authorization.k8s.io/v1 subjectaccessreviews SubjectAccessReview C - - - create
autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler N hpa all status
autoscaling/v1 horizontalpodautoscalers HorizontalPodAutoscaler N hpa all status
batch/v1 cronjobs CronJob N cj all status
batch/v1 jobs Job N - all status
certificates.k8s.io/v1 certificatesigningrequests CertificateSigningRequest C csr - approval,status
networking.k8s.io/v1 ingressclasses IngressClass C - - -
networking.k8s.io/v1 ingresses Ingress N ing - status
networking.k8s.io/v1 ipaddresses IPAddress C ip - -
networking.k8s.io/v1 networkpolicies NetworkPolicy N netpol - -
networking.k8s.io/v1 servicecidrs ServiceCIDR C - - status
policy/v1 poddisruptionbudgets PodDisruptionBudget N pdb - status
rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding C - - -
rbac.authorization.k8s.io/v1 clusterroles ClusterRole C - - -
rbac.authorization.k8s.io/v1 rolebindings RoleBinding N - - -
rbac.authorization.k8s.io/v1 roles Role N - - -
storage.k8s.io/v1 csidrivers CSIDriver C - - -
storage.k8s.io/v1 csinodes CSINode C - - -
storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity N - - -
storage.k8s.io/v1 storageclasses StorageClass C sc - -
storage.k8s.io/v1 volumeattachments VolumeAttachment C - - status
storage.k8s.io/v1 volumeattributesclasses VolumeAttributesClass C vac - -
admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration C - api-extensions -
admissionregistration.k8s.io/v1 validatingadmissionpolicies ValidatingAdmissionPolicy C - api-extensions status
admissionregistration.k8s.io/v1 validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding C - api-extensions -
admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration C - api-extensions -
apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition C crd,crds api-extensions status
scheduling.k8s.io/v1 priorityclasses PriorityClass C pc - -
coordination.k8s.io/v1 leases Lease N - - -
node.k8s.io/v1 runtimeclasses RuntimeClass C - - -
discovery.k8s.io/v1 endpointslices EndpointSlice N - - -
resource.k8s.io/v1 deviceclasses DeviceClass C - - -
resource.k8s.io/v1 resourceclaims ResourceClaim N - - status
resource.k8s.io/v1 resourceclaimtemplates ResourceClaimTemplate N - - -
resource.k8s.io/v1 resourceslices ResourceSlice C - - -
flowcontrol.apiserver.k8s.io/v1 flowschemas FlowSchema C - - status
flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations PriorityLevelConfiguration C - - status
`;

const STANDARD_VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

function servedKind(cells: readonly string[]): ServedKind {
  const cell = (index: number): string => cells[index] ?? '-';
  const [apiVersion, plural, kind] = [cell(0), cell(1), cell(2)];
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const verbs = words(cell(7));
  const served = {
    group,
    version: apiVersion.slice(slash + 1),
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced: cell(3) === 'N',
    verbs: verbs.length === 0 ? STANDARD_VERBS : verbs,
    shortNames: words(cell(4)),
    categories: words(cell(5)),
    subresources: words(cell(6)).map((name) => subresource(name, kind)),
    collection: group === '' ? plural : `${plural}.${group}`,
    storedApiVersion: apiVersion,
  };
  return { ...served, ...SHARED_STORAGE[`${apiVersion} ${plural}`] };
}

function words(cell: string): readonly string[] {
  return cell === '-' ? [] : cell.split(',');
}

const SHARED_STORAGE: { readonly [row: string]: Partial<ServedKind> } = {
  'events.k8s.io/v1 events': { collection: 'events', storedApiVersion: 'v1', conversion: eventConversion },
  'autoscaling/v1 horizontalpodautoscalers': {
    storedApiVersion: 'autoscaling/v2',
    conversion: horizontalPodAutoscalerConversion,
  },
};

const READ_WRITE = ['get', 'patch', 'update'];

function subresource(name: string, kind: string): Subresource {
  switch (name) {
    case 'scale':
      return { name, verbs: READ_WRITE, kind: 'Scale', groupVersion: { group: 'autoscaling', version: 'v1' } };
    case 'binding':
      return { name, verbs: ['create'], kind: 'Binding' };
    case 'eviction':
      return { name, verbs: ['create'], kind: 'Eviction', groupVersion: { group: 'policy', version: 'v1' } };
    case 'token': {
      const groupVersion = { group: 'authentication.k8s.io', version: 'v1' };
      return { name, verbs: ['create'], kind: 'TokenRequest', groupVersion };
    }
    case 'log':
      return { name, verbs: ['get'], kind };
    case 'finalize':
      return { name, verbs: ['update'], kind };
    default:
      return { name, verbs: READ_WRITE, kind };
  }
}
