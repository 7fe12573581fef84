import type { V1Pod, V1Service, V1ServiceSpec } from '@kubernetes/client-node';

const DOMAIN = 'cluster.local';

/** The objects that the names of a namespace are made from. */
export interface Names {
  readonly services: Iterable<V1Service>;
  readonly pods: Iterable<V1Pod>;
  /** The address of the API server. */
  readonly apiServer: string;
}

/**
 * The lines of a hosts file that all pods of a namespace share. The name of a Service stands for its ready pods (there
 * is no proxy, so ports are those of the pods); in a headless Service, each pod with a hostname also has a name of its
 * own.
 */
export function serviceNames(namespace: string, { services, pods, apiServer }: Names): string {
  const all = [...pods];
  const lines = [...services].flatMap((service) => {
    const own = service.metadata?.namespace ?? '';
    return all
      .filter((pod) => pod.metadata?.namespace === own && isBehind(service, pod))
      .map((pod) => `${pod.status?.podIP}\t${namesIn(service, pod, namespace).join(' ')}`);
  });
  const api = ['kubernetes.default.svc', `kubernetes.default.svc.${DOMAIN}`, 'kubernetes.default'];
  const short = namespace === 'default' ? ['kubernetes'] : [];
  return [...LOOPBACK, `${apiServer}\t${[...api, ...short].join(' ')}`, ...lines.toSorted()].join('\n');
}

/** The line of a pod's hosts file with its own name. */
export function ownName(pod: V1Pod, address: string): string {
  const hostname = hostnameOf(pod);
  const { metadata, spec } = pod;
  const full =
    spec?.subdomain === undefined ? [] : [`${hostname}.${spec.subdomain}.${metadata?.namespace}.svc.${DOMAIN}`];
  return `${address}\t${[...full, hostname].join(' ')}`;
}

/** The host name of a pod. */
export function hostnameOf({ metadata, spec }: V1Pod): string {
  return (spec?.hostname ?? metadata?.name ?? '').slice(0, 63);
}

/** Whether the condition Ready of a pod is True. */
function isReady({ status }: V1Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

const LOOPBACK = ['127.0.0.1\tlocalhost', '::1\tlocalhost ip6-localhost ip6-loopback'];

function isBehind({ spec = {} }: V1Service, pod: V1Pod): boolean {
  if (!selects(spec, pod) || pod.status?.podIP === undefined || isOver(pod)) return false;
  return spec.publishNotReadyAddresses === true || (isReady(pod) && pod.metadata?.deletionTimestamp === undefined);
}

function selects({ selector = {} }: V1ServiceSpec, { metadata }: V1Pod): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => metadata?.labels?.[key] === value);
}

function isOver({ status }: V1Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function namesIn({ metadata, spec }: V1Service, pod: V1Pod, namespace: string): readonly string[] {
  const { name = '', namespace: own = '' } = metadata ?? {};
  const forms = [`${name}.${own}.svc.${DOMAIN}`, `${name}.${own}.svc`, `${name}.${own}`];
  if (own === namespace) forms.push(name);
  const isNamed = spec?.clusterIP === 'None' && pod.spec?.subdomain === name && pod.spec.hostname !== undefined;
  return isNamed ? [...forms.map((form) => `${pod.spec?.hostname}.${form}`), ...forms] : forms;
}
