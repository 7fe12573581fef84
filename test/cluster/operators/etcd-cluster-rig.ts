import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { startKubelet, type Kubelet } from '@hooklet/test-kubelet';
import type { ClusterSpec, ClusterStatus } from '../../../examples/300-etcd/hooks/lib/cluster.ts';
import { kubectlAsset } from '../assets.ts';
import { forbiddenRequests, serviceAccountUser } from '../audit.ts';
import { connectAs } from '../operator-rig.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import type { EtcdClientTls } from '../solutions/etcd-certificates.ts';
import { EtcdApi } from '../solutions/etcd-api.ts';
import { eventually } from '../solutions/eventually.ts';
import { etcdOperatorImages, exampleDir } from './etcd-cluster-image.ts';

/** The operator of the example and one EtcdCluster, whose members really run, in a namespace of their own. */
export interface EtcdClusterRig extends AsyncDisposable {
  readonly namespace: string;
  readonly kubelet: Kubelet;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  readonly status: () => Promise<ClusterStatus>;
  /** Applies the EtcdCluster with these fields. */
  readonly ask: (spec: Partial<ClusterSpec>) => Promise<void>;
  /** Applies any objects. */
  readonly apply: (...objects: readonly object[]) => Promise<void>;
  /** A client of these Pods, which may become others. */
  readonly clientOf: (pods: readonly string[], tls?: EtcdClientTls) => EtcdApi;
  /** Clients of at most this many members, by number. */
  readonly clients: (most: number, cluster?: string, tls?: EtcdClientTls) => EtcdApi;
  /** The requests of the operator that it had no right to. */
  readonly refused: () => Promise<readonly string[]>;
  /** Waits until all is as the spec asks for. */
  readonly isReady: (replicas: number) => Promise<ClusterStatus>;
}

const BASE: ClusterSpec = {
  replicas: 3,
  version: '3.6.6',
  storage: { size: '1Gi' },
  // What is only slow is not replaced.
  repair: { after: '10m' },
  options: { heartbeatMilliseconds: 100, electionMilliseconds: 2000 },
};

/** Installs the operator with `kubectl apply -k`, and does not wait for it. */
export async function startEtcdOperator(plane: SharedControlPlane): Promise<EtcdClusterRig> {
  const namespace = `etcd-${crypto.randomUUID().slice(0, 8)}`;
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-etcd-operator-'));
  const images = await etcdOperatorImages();
  const kubelet = await startKubelet({ plane, connect: connectAs(plane, 'admin'), namespaces: [namespace], images });
  await writeFile(join(folder, 'kubeconfig'), plane.kubeconfig('admin'), { mode: 0o600 });
  await writeFile(join(folder, 'kustomization.yaml'), kustomization(folder, namespace));
  const program = await kubectlAsset(process.env);
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
    const { stdout } = await promisify(execFile)(program, ['--namespace', namespace, ...args], { env });
    return stdout;
  };
  await kubectl('apply', '-k', folder);
  const status = async (): Promise<ClusterStatus> => {
    const object: { readonly status?: ClusterStatus } = JSON.parse(
      await kubectl('get', 'etcdcluster', 'etcd', '-o', 'json'),
    );
    return object.status ?? {};
  };
  const apply = async (...objects: readonly object[]): Promise<void> => {
    const file = join(folder, 'objects.yaml');
    await writeFile(file, objects.map((object) => stringify(object)).join('---\n'));
    await eventually(async () => kubectl('apply', '-f', file));
  };
  const clientOf = (pods: readonly string[], tls?: EtcdClientTls): EtcdApi =>
    new EtcdApi(pods, (name) => kubelet.addressOf({ namespace, name }), { namespace, ...(tls && { tls }) });
  return {
    namespace,
    kubelet,
    kubectl,
    status,
    ask: async (spec) => {
      const object = { apiVersion: 'etcd.hooklet.dev/v1', kind: 'EtcdCluster', metadata: { name: 'etcd' } };
      await apply({ ...object, spec: { ...BASE, ...spec } });
    },
    apply,
    clientOf,
    clients: (most, cluster = 'etcd', tls) =>
      clientOf(
        Array.from({ length: most }, (_, number) => `${cluster}-${number}-0`),
        tls,
      ),
    refused: async () => forbiddenRequests(await plane.auditLog(), serviceAccountUser(namespace, 'etcd-operator')),
    isReady: async (replicas) =>
      eventually(async () => {
        const now = await status();
        const ready = now.conditions?.find(({ type }) => type === 'Ready');
        expect(ready).toMatchObject({ status: 'True' });
        expect(now.members).toHaveLength(replicas);
        return now;
      }),
    async [Symbol.asyncDispose]() {
      await kubectl('delete', '-k', folder, '--wait=false').catch(() => '');
      await kubelet[Symbol.asyncDispose]();
      // Nobody answers it now.
      await kubectl('delete', 'validatingwebhookconfiguration', 'etcd-operator-hooks', '--ignore-not-found');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function kustomization(folder: string, namespace: string): string {
  return stringify({
    namespace,
    resources: [relative(folder, join(exampleDir, 'manifests'))],
    patches: [
      {
        target: { kind: 'ClusterRoleBinding', name: 'etcd-operator' },
        patch: stringify([{ op: 'replace', path: '/subjects/0/namespace', value: namespace }]),
      },
      {
        target: { kind: 'Deployment', name: 'etcd-operator' },
        patch: stringify([{ op: 'add', path: '/spec/template/spec/terminationGracePeriodSeconds', value: 3 }]),
      },
    ],
  });
}
