import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import type { Environment } from '../../kube/environment.ts';
import type { WebhookAddress } from '../../sources/admission/wanted-webhooks.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import type { ConversionSettings, WebhookSettings } from './settings.ts';

export interface WebhookPlaceOptions {
  readonly settings: WebhookSettings;
  readonly access: Pick<ClusterAccess, 'cluster'>;
  readonly env: Environment;
}

/** Where webhooks are, in the cluster and for their callers. */
export interface WebhookPlace {
  /** Of the Service, of the Secret, and the mark of this installation. */
  readonly namespace: string;
  /** The same, where hooklet runs in the cluster: its Pods are there. Undefined outside of a cluster. */
  readonly podNamespace: string | undefined;
  readonly addressOf: (server: ConversionSettings, port?: number) => WebhookAddress;
  /** What certificates must be made for. */
  readonly hosts: readonly string[];
}

/** Finds out where webhooks are. */
export function webhookPlace({ settings, access: { cluster }, env }: WebhookPlaceOptions): WebhookPlace {
  const { POD_NAMESPACE: own = '' } = env;
  const given = settings.namespace === '' ? own : settings.namespace;
  const podNamespace = given === '' ? inCluster(cluster) : given;
  const namespace = podNamespace ?? ownNamespace(env, cluster.namespace);
  const { url } = settings;
  return {
    namespace,
    podNamespace,
    addressOf: ({ serviceName: name }, port) =>
      url === '' ? { type: 'service', namespace, name } : { type: 'url', url: withPort(url, port) },
    hosts: url === '' ? [] : [new URL(url).hostname],
  };
}

function withPort(text: string, port: number | undefined): string {
  const url = new URL(text);
  if (url.port === '0' && port !== undefined) url.port = String(port);
  return url.href;
}

/** Where conversions are: at a URL, the port is that of their own listener, `port` once it listens. */
export function conversionAddress(
  { addressOf }: Pick<WebhookPlace, 'addressOf'>,
  settings: ConversionSettings,
  port: number | undefined,
): WebhookAddress {
  const address = addressOf(settings);
  if (address.type === 'service') return address;
  const url = new URL(address.url);
  url.port = String(port ?? settings.listenPort);
  return { type: 'url', url: url.href };
}

function inCluster({ name, namespace }: ClusterAccess['cluster']): string | undefined {
  return name === 'in-cluster' ? namespace : undefined;
}
