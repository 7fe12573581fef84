import type { V1Container, V1Pod, V1ResourceFieldSelector } from '@kubernetes/client-node';
import { availableParallelism, totalmem } from 'node:os';
import { quantity } from './quantity.ts';

/** A pod as it knows itself. */
export interface PodSelf {
  readonly pod: V1Pod;
  readonly podIp: string;
  readonly hostIp: string;
}

/** The field of the downward API at `path`. */
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

/** A container's own requests and limits; what has no limit has this machine. */
export function resourceOf(container: V1Container, { resource, divisor = '1' }: V1ResourceFieldSelector): string {
  const [kind = '', ...name] = resource.split('.');
  const { limits = {}, requests = {} } = container.resources ?? {};
  const key = name.join('.');
  const [value, otherwise = 0] = kind === 'limits' ? [limits[key], WHOLE_MACHINE[key]] : [requests[key]];
  const number = value === undefined ? otherwise : quantity(value);
  // A divisor of 0 is the server's default.
  const unit = quantity(divisor);
  return String(Math.ceil(number / (unit === 0 ? 1 : unit)));
}

/** The ServiceAccount of a pod. */
export function accountOf({ spec }: V1Pod): string {
  return spec?.serviceAccountName ?? spec?.serviceAccount ?? 'default';
}

function lines(map: Readonly<Record<string, string>> = {}): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}
