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
  const { metadata = {}, spec } = pod;
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? [];
  if (map === 'labels') return metadata.labels?.[key ?? ''] ?? '';
  if (map === 'annotations') return metadata.annotations?.[key ?? ''] ?? '';
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': lines(metadata.labels),
    'metadata.annotations': lines(metadata.annotations),
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName ?? 'default',
    'status.podIP': podIp,
    'status.podIPs': podIp,
    'status.hostIP': hostIp,
    'status.hostIPs': hostIp,
  };
  const value = fields[path];
  if (value === undefined) throw new Error(`the pod has no field ${path}`);
  return value;
}

/** A container's own requests and limits; what has no limit has this machine. */
export function resourceOf(container: V1Container, { resource, divisor = '1' }: V1ResourceFieldSelector): string {
  const [kind = '', ...name] = resource.split('.');
  const resources = kind === 'limits' ? container.resources?.limits : container.resources?.requests;
  const key = name.join('.');
  const value = resources?.[key];
  const whole = { cpu: availableParallelism(), memory: totalmem() }[key] ?? 0;
  const number = value === undefined ? (kind === 'limits' ? whole : 0) : quantity(value);
  // A divisor of 0 is the server's default.
  const unit = quantity(divisor);
  return String(Math.ceil(number / (unit === 0 ? 1 : unit)));
}

function lines(map: Readonly<Record<string, string>> = {}): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}
