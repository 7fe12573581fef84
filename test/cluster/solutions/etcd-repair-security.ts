import type { EtcdAccess } from './etcd-api.ts';
import { etcdTls } from './etcd-certificates.ts';

/** How an installation is protected. */
export interface SecurityOptions {
  /** Peers and clients must show certificates; those of the named Pods have expired. */
  readonly tls?: boolean | { readonly expired: readonly string[] };
  /** Requires the user root with a password. */
  readonly auth?: boolean;
}

/** What that needs: in the manifests, in the settings of the hook, and for a client outside. */
export interface Security {
  readonly resources: readonly object[];
  readonly patches: readonly object[];
  readonly settings: Readonly<Record<string, string>>;
  readonly access: EtcdAccess;
}

/** Without options no credentials are required. */
export function securityOf({ tls = false, auth = false }: SecurityOptions, namespace: string, replicas: number) {
  const pods = Array.from({ length: replicas }, (_, at) => `etcd-${at}`);
  const open: Security = { resources: [], patches: [], settings: {}, access: { namespace } };
  const encrypted = tls === false ? open : withTls(open, pods, tls === true ? [] : tls.expired);
  return auth ? withUser(encrypted) : encrypted;
}

function withTls({ access }: Security, pods: readonly string[], expired: readonly string[]): Security {
  const { client, ...rest } = etcdTls(access.namespace, pods, expired);
  return { ...rest, access: { ...access, tls: client } };
}

function withUser(security: Security): Security {
  const user = { name: 'root', password: crypto.randomUUID() };
  const settings = { ...security.settings, ETCDCTL_USER: user.name, ETCDCTL_PASSWORD: user.password };
  return { ...security, settings, access: { ...security.access, user } };
}
