import { createCertificate } from '../../support/certificate.ts';

/** A Secret with a certificate and a key for each member, all of them trusted; those of `expired` are long out of date. */
export function certificateSecret(namespace: string, pods: readonly string[], expired: readonly string[]): object {
  const made = pods.map((pod) => {
    const names = [`${pod}.etcd.${namespace}.svc`, 'localhost', '127.0.0.1'];
    const notAfter = expired.includes(pod) ? { notAfter: new Date('2021-01-01') } : {};
    return { pod, ...createCertificate({ commonName: pod, names, ...notAfter }) };
  });
  const perPod = made.flatMap(({ pod, cert, key }) => [[`${pod}.crt`, cert] as const, [`${pod}.key`, key] as const]);
  const stringData = { ...Object.fromEntries(perPod), 'ca.crt': made.map(({ cert }) => cert).join('') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'etcd-certificates' }, stringData };
}
