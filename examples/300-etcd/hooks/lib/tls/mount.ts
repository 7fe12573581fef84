import { GROUP } from '../cluster.ts';
import { memberSecret } from './held.ts';
import type { Trust } from './trust.ts';

/** Annotations on member Pods: the trusted authorities. etcd reads them at start, so a change is a rolling update. */
export const CLIENT_TRUST = `${GROUP}/client-authorities`;
export const PEER_TRUST = `${GROUP}/peer-authorities`;

const KEYS = '/etc/etcd/tls';
const AUTHORITIES = '/etc/etcd/authorities';

export function trustAnnotations({ client, peer }: Trust): Readonly<Record<string, string>> {
  return { [CLIENT_TRUST]: client, [PEER_TRUST]: peer };
}

/** Certificates come from a Secret, as etcd reads them anew for each connection; authorities from the Pod itself. */
export function memberVolumes(member: string): readonly object[] {
  const file = (path: string, annotation: string) => ({
    path,
    fieldRef: { fieldPath: `metadata.annotations['${annotation}']` },
  });
  const items = [file('client.crt', CLIENT_TRUST), file('peer.crt', PEER_TRUST)];
  return [
    { name: 'tls', secret: { secretName: memberSecret(member), defaultMode: 0o440 } },
    { name: 'authorities', downwardAPI: { items } },
  ];
}

export const memberMounts: readonly object[] = [
  { name: 'tls', mountPath: KEYS, readOnly: true },
  { name: 'authorities', mountPath: AUTHORITIES, readOnly: true },
];

/** Clients and peers must show a certificate. */
export const memberEnvironment: Readonly<Record<string, string>> = {
  ETCD_CERT_FILE: `${KEYS}/server.crt`,
  ETCD_KEY_FILE: `${KEYS}/server.key`,
  ETCD_CLIENT_CERT_AUTH: 'true',
  ETCD_TRUSTED_CA_FILE: `${AUTHORITIES}/client.crt`,
  ETCD_PEER_CERT_FILE: `${KEYS}/peer.crt`,
  ETCD_PEER_KEY_FILE: `${KEYS}/peer.key`,
  ETCD_PEER_CLIENT_CERT_AUTH: 'true',
  ETCD_PEER_TRUSTED_CA_FILE: `${AUTHORITIES}/peer.crt`,
};
