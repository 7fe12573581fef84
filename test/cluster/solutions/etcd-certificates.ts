import { createCertificate, type TestCertificate } from '../../support/certificate.ts';
import { environment, merged } from './etcd-repair-install.ts';

/** What an installation with certificates for peers and clients adds, and the certificates of a client outside. */
export interface EtcdTls {
  readonly resources: readonly object[];
  readonly patches: readonly object[];
  readonly settings: Readonly<Record<string, string>>;
  readonly client: EtcdClientTls;
}

/** The certificates with which a client and the members identify each other. */
export interface EtcdClientTls extends TestCertificate {
  readonly ca: string;
}

/**
 * Makes a certificate for each member, with the name of its Pod, and one for the client; those in `expired` are out
 * of date.
 */
export function etcdTls(namespace: string, pods: readonly string[], expired: readonly string[] = []): EtcdTls {
  const members = pods.map((pod) => {
    const names = [`${pod}.etcd.${namespace}.svc`, 'localhost', '127.0.0.1'];
    const notAfter = expired.includes(pod) ? { notAfter: new Date('2021-01-01') } : {};
    return [pod, createCertificate({ commonName: pod, names, ...notAfter })] as const;
  });
  // A common name would be the name of an etcd user, which the gateway refuses.
  const client = createCertificate({ commonName: '', names: [CLIENT] });
  const all = [...members, [CLIENT, client] as const];
  const ca = all.map(([, { cert }]) => cert).join('');
  const files = all.flatMap(([name, { cert, key }]) => [[`${name}.crt`, cert] as const, [`${name}.key`, key] as const]);
  const stringData = { ...Object.fromEntries(files), 'ca.crt': ca };
  return {
    resources: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET }, stringData }],
    patches: [
      merged('StatefulSet', 'etcd', withCertificates({ name: 'etcd', env: [POD_NAME, ...environment(MEMBER)] })),
      merged('Deployment', 'etcd-member-repair', withCertificates({ name: 'hooklet' })),
    ],
    settings: { ETCD_CLIENT_SCHEME: 'https', ETCD_PEER_SCHEME: 'https', ...ctlFiles(CLIENT) },
    client: { ...client, ca },
  };
}

const SECRET = 'etcd-certificates';
const CLIENT = 'client';
/** Objects that others refer to come first. */
const POD_NAME = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
const MEMBER = {
  SCHEME: 'https',
  ETCD_CERT_FILE: '/certs/$(POD_NAME).crt',
  ETCD_KEY_FILE: '/certs/$(POD_NAME).key',
  ETCD_TRUSTED_CA_FILE: '/certs/ca.crt',
  ETCD_CLIENT_CERT_AUTH: 'true',
  ETCD_PEER_CERT_FILE: '/certs/$(POD_NAME).crt',
  ETCD_PEER_KEY_FILE: '/certs/$(POD_NAME).key',
  ETCD_PEER_TRUSTED_CA_FILE: '/certs/ca.crt',
  ETCD_PEER_CLIENT_CERT_AUTH: 'true',
  ...ctlFiles('$(POD_NAME)'),
};

function ctlFiles(name: string): Readonly<Record<string, string>> {
  return {
    ETCDCTL_CACERT: '/certs/ca.crt',
    ETCDCTL_CERT: `/certs/${name}.crt`,
    ETCDCTL_KEY: `/certs/${name}.key`,
  };
}

function withCertificates(container: object): object {
  const volumeMounts = [{ name: 'certs', mountPath: '/certs' }];
  const volumes = [{ name: 'certs', secret: { secretName: SECRET } }];
  return { template: { spec: { volumes, containers: [{ ...container, volumeMounts }] } } };
}
