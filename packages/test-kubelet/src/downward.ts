import type { V1Container, V1Pod, V1ResourceFieldSelector } from '@kubernetes/client-node';
import { availableParallelism, totalmem } from 'node:os';
import { quantity } from './quantity.ts';

/** The pod and its addresses, for the downward API. */
export interface PodSelf {
  readonly pod: V1Pod;
  readonly podIp: string;
  readonly hostIp: string;
}

/** The value of the downward API's field at `path`; throws if there is no such field. */
export function fieldOf({ pod, podIp, hostIp }: PodSelf, path: string): string {
  const { metadata = {} } = pod;
  const member = /^metadata\.(?<map>labels|annotations)\['(?<key>.*)'\]$/.exec(path)?.groups;
  if (member !== undefined)
    return memberOf(member['map'] === 'labels' ? metadata.labels : metadata.annotations, member);
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': lines(metadata.labels),
    'metadata.annotations': lines(metadata.annotations),
    'spec.nodeName': pod.spec?.nodeName,
    'spec.serviceAccountName': accountOf(pod),
    'status.podIP': podIp,
    'status.podIPs': podIp,
    'status.hostIP': hostIp,
    'status.hostIPs': hostIp,
  };
  const value = fields[path];
  if (value === undefined) throw new Error(`the pod has no field ${path}`);
  return value;
}

function memberOf(map: Readonly<Record<string, string>> = {}, { key = '' }: Readonly<Record<string, string>>): string {
  return map[key] ?? '';
}

const WHOLE_MACHINE: Readonly<Record<string, number>> = { cpu: availableParallelism(), memory: totalmem() };

/** A request or limit of a container; a missing limit is that of this machine. */
export function resourceOf(container: V1Container, { resource, divisor = '1' }: V1ResourceFieldSelector): string {
  const [kind = '', ...name] = resource.split('.');
  const { limits = {}, requests = {} } = container.resources ?? {};
  const key = name.join('.');
  const [value, otherwise = 0] = kind === 'limits' ? [limits[key], WHOLE_MACHINE[key]] : [requests[key]];
  const number = value === undefined ? otherwise : quantity(value);
  // The server writes 0 for the default divisor.
  const unit = quantity(divisor);
  return String(Math.ceil(number / (unit === 0 ? 1 : unit)));
}

/** The name of a pod's ServiceAccount. */
export function accountOf({ spec }: V1Pod): string {
  return spec?.serviceAccountName ?? spec?.serviceAccount ?? 'default';
}

function lines(map: Readonly<Record<string, string>> = {}): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}
