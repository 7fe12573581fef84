import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kubectlAsset } from '../assets.ts';
import { solutionDir } from './etcd-repair-image.ts';

let kubectl: string;

beforeAll(async () => {
  kubectl = await kubectlAsset(process.env);
}, 600_000);

interface Built {
  readonly kinds: readonly string[];
  readonly env: readonly string[];
  readonly mounts: readonly string[];
  readonly secrets: readonly string[];
}

/** What a variant of the manifests installs. */
function built(variant: string): Built {
  const text = execFileSync(kubectl, ['kustomize', join(solutionDir, 'manifests', variant)], { encoding: 'utf8' });
  const objects: readonly KubernetesObject[] = parseAllDocuments(text).map((document) => document.toJS());
  const pod = objects.find(({ kind }) => kind === 'Deployment')?.spec?.template.spec;
  return { kinds: objects.map(({ kind }) => kind).toSorted(), ...wiringOf(pod ?? { volumes: [], containers: [] }) };
}

function wiringOf({ volumes, containers }: PodSpec): Omit<Built, 'kinds'> {
  const mounted = volumes.flatMap(({ secret }) => (secret === undefined ? [] : [secret.secretName]));
  const given = containers.flatMap(({ envFrom = [] }) => envFrom.map(({ secretRef }) => secretRef.name));
  return {
    env: containers
      .flatMap(({ env }) => env)
      .filter(({ value }) => value !== undefined)
      .map(({ name, value }) => `${name}=${value}`),
    mounts: containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ mountPath }) => mountPath)),
    secrets: [...mounted, ...given],
  };
}

interface KubernetesObject {
  readonly kind: string;
  readonly spec?: { readonly template: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[];
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value?: string }[];
    readonly envFrom?: readonly { readonly secretRef: { readonly name: string } }[];
    readonly volumeMounts: readonly { readonly mountPath: string }[];
  }[];
}

describe('the manifests of the repair of etcd members', () => {
  const KINDS = ['Deployment', 'PersistentVolumeClaim', 'Role', 'RoleBinding', 'ServiceAccount'];
  const TLS = [
    'ETCD_CLIENT_SCHEME=https',
    'ETCD_PEER_SCHEME=https',
    'ETCDCTL_CACERT=/tls/ca.crt',
    'ETCDCTL_CERT=/tls/tls.crt',
    'ETCDCTL_KEY=/tls/tls.key',
  ];

  it('ask for no Secret where etcd has neither certificates nor users', () => {
    expect(built('.')).toEqual({
      kinds: KINDS,
      env: ['ETCD_STATEFULSET=etcd'],
      mounts: ['/tmp', '/snapshots'],
      secrets: [],
    });
  });

  it.each([
    ['with-tls', ['etcd-member-repair-tls']],
    ['with-tls-and-password', ['etcd-member-repair-tls', 'etcd-member-repair-user']],
  ])('take the way to etcd from Secrets: %s', (variant, secrets) => {
    expect(built(variant)).toEqual({
      kinds: KINDS,
      env: ['ETCD_STATEFULSET=etcd', ...TLS],
      mounts: ['/tmp', '/snapshots', '/tls'],
      secrets,
    });
  });
});
