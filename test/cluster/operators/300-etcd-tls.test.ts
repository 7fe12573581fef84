import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import type { EtcdClientTls } from '../solutions/etcd-certificates.ts';
import { EtcdOracle } from '../solutions/etcd-oracle.ts';
import { eventually } from '../solutions/eventually.ts';
import { post } from '../solutions/http-post.ts';
import { startEtcdOperator, type EtcdClusterRig } from './etcd-cluster-rig.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 2_400_000 };
/** The next authority is trusted for a hundredth of this before it signs. */
const TLS = { duration: '1h', authorityDuration: '3h' };
const PODS = ['etcd-0-0', 'etcd-1-0', 'etcd-2-0'];

async function secretOf(rig: EtcdClusterRig, name: string): Promise<Readonly<Record<string, string>>> {
  const { data }: { readonly data: Readonly<Record<string, string>> } = JSON.parse(
    await rig.kubectl('get', 'secret', name, '-o', 'json'),
  );
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
}

/** What a client mounts; it reads it again, as clients do. */
async function clientOf(rig: EtcdClusterRig): Promise<EtcdClientTls> {
  const { 'tls.crt': cert = '', 'tls.key': key = '', 'ca.crt': ca = '' } = await secretOf(rig, 'etcd-client-tls');
  return { cert, key, ca };
}

async function ask(rig: EtcdClusterRig, pod: string, tls: Partial<EtcdClientTls>): Promise<number> {
  const host = rig.kubelet.addressOf({ namespace: rig.namespace, name: pod });
  const options = { signal: AbortSignal.timeout(5000), servername: `${pod}.etcd.${rig.namespace}.svc`, ...tls };
  return (await post(`https://${host}:2379/v3/maintenance/status`, '{}', options)).status;
}

it(
  'an etcd of three with TLS takes no client without a certificate, renews by rolling, and loses no write',
  LIMIT,
  async () => {
    await using rig = await startEtcdOperator(plane);
    await rig.ask({ tls: TLS });
    const { clusterID } = await rig.isReady(3);
    let client = await clientOf(rig);
    const current = {
      get cert() {
        return client.cert;
      },
      get key() {
        return client.key;
      },
      get ca() {
        return client.ca;
      },
    };
    for (const pod of PODS) {
      expect(await ask(rig, pod, current)).toBe(200);
      await expect(ask(rig, pod, { ca: client.ca })).rejects.toThrow();
      // One that is of the peers is none of a client.
      const { 'peer.crt': cert = '', 'peer.key': key = '' } = await secretOf(rig, 'etcd-1-tls');
      await expect(ask(rig, pod, { ca: client.ca, cert, key })).rejects.toThrow();
      const host = rig.kubelet.addressOf({ namespace: rig.namespace, name: pod });
      const plain = post(`http://${host}:2379/v3/maintenance/status`, '{}', { signal: AbortSignal.timeout(5000) });
      await expect(
        plain.then(({ status }) => (status === 200 ? status : Promise.reject(new Error(`${status}`)))),
      ).rejects.toThrow();
    }

    const oracle = new EtcdOracle(rig.clients(3, 'etcd', current));
    oracle.allowVoters(3);
    oracle.start();
    const before = await secretOf(rig, 'etcd-authority');
    await rig.kubectl('delete', 'secret', 'etcd-authority');
    const renewed = await eventually(async () => {
      client = await clientOf(rig);
      const authority = await secretOf(rig, 'etcd-authority');
      expect(authority['client.crt']).not.toBe(before['client.crt']);
      const signer = new X509Certificate(authority['client.crt'] ?? '');
      for (const name of ['etcd-0-tls', 'etcd-1-tls', 'etcd-2-tls']) {
        const server = new X509Certificate((await secretOf(rig, name))['server.crt'] ?? '');
        expect(server.checkIssued(signer)).toBe(true);
      }
      expect(new X509Certificate(client.cert).checkIssued(signer)).toBe(true);
      return authority;
    }, 1_200_000);
    await rig.isReady(3);
    // By the new authority alone.
    for (const pod of PODS) expect(await ask(rig, pod, { ...client, ca: renewed['client.crt'] ?? '' })).toBe(200);

    const { violations, acknowledged } = await oracle.stop();
    expect(violations).toEqual([]);
    expect(acknowledged).toBeGreaterThan(100);
    const status = await rig.isReady(3);
    expect(status.clusterID).toBe(clusterID);
    expect(status.conditions?.find(({ type }) => type === 'CertificatesValid')).toMatchObject({ status: 'True' });

    // Those who may look at what is no Secret see no key.
    const seen = await rig.kubectl('get', 'etcdclusters,configmaps,statefulsets,pods,events', '-o', 'yaml');
    expect(seen).toContain('BEGIN CERTIFICATE');
    expect(seen).not.toContain('PRIVATE KEY');
    const operator = ['get', 'pods', '-l', 'app=etcd-operator', '-o', 'jsonpath={.items[0].metadata.name}'];
    const name = await rig.kubectl(...operator);
    expect(await rig.kubelet.logs({ namespace: rig.namespace, name })).not.toContain('PRIVATE KEY');
    expect(await rig.refused()).toEqual([]);
  },
);
