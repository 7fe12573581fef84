import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Image, type Kubelet, startKubelet } from '@hooklet/test-kubelet';
import { kubectlAsset } from '../../cluster/assets.ts';
import { createCertificate } from '../../support/certificate.ts';
import { connectAs } from '../../cluster/operator-rig.ts';
import type { SharedControlPlane } from '../../cluster/shared-control-plane.ts';

/** An operator to be installed. */
export interface Installation {
  readonly plane: SharedControlPlane;
  /** The folder with its kustomization. */
  readonly manifests: string;
  /** Of its Deployment. */
  readonly namespace: string;
  readonly name: string;
  /** All images that run. */
  readonly images: Readonly<Record<string, Image>>;
  /** Other namespaces whose Pods run too. */
  readonly namespaces?: readonly string[];
  /** Cluster-scoped objects that hooklet makes, to be deleted at the end, such as `validatingwebhookconfiguration/a-hooks`. */
  readonly leftovers?: readonly string[];
}

/** An operator that runs in a Pod of its own namespace, with the rights of its own manifests. */
export interface Installed extends AsyncDisposable {
  readonly kubelet: Kubelet;
  /** kubectl in that namespace; the answer to what it prints. Rejects with what it says where it fails. */
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  /** `kubectl apply` of objects. */
  readonly apply: (...objects: readonly object[]) => Promise<string>;
  /** An object, or a list of them, as kubectl prints it. */
  readonly get: <T>(...what: readonly string[]) => Promise<T>;
  /** What `kubectl apply -k` printed. */
  readonly applied: string;
}

/** Installs an operator with one `kubectl apply -k`. The API server calls webhooks at the Pod, as there are no Services. */
export async function installs(options: Installation): Promise<Installed> {
  const { plane, manifests, namespace, name, images, namespaces = [], leftovers = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-installs-'));
  writeFileSync(join(folder, 'kubeconfig'), plane.kubeconfig('admin'), { mode: 0o600 });
  const program = await kubectlAsset(process.env);
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, ['--namespace', namespace, ...args], { env, maxBuffer: 1e8 })).stdout;
  const applied = await kubectl('apply', '-k', manifests);
  await kubectl('patch', 'deployment', name, '--patch', JSON.stringify(CALLED_AT_POD));
  const kubelet = await startKubelet({
    plane,
    connect: connectAs(plane, 'admin'),
    namespaces: [namespace, ...namespaces],
    images,
    certificate: createCertificate(),
  });
  let files = 0;
  return {
    kubelet,
    kubectl,
    applied,
    async apply(...objects) {
      const file = join(folder, `${files++}.json`);
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      return kubectl('apply', '-f', file);
    },
    get: async (...what) => JSON.parse(await kubectl('get', ...what, '-o', 'json')),
    async [Symbol.asyncDispose]() {
      await kubelet[Symbol.asyncDispose]();
      for (const one of leftovers) await kubectl('delete', one, '--ignore-not-found');
      await kubectl('delete', '-k', manifests, '--ignore-not-found', '--wait=false');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const CALLED_AT_POD = {
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'hooklet',
            env: [
              { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
              { name: 'HOOKLET_WEBHOOK_URL', value: 'https://$(POD_IP):9680' },
            ],
          },
        ],
      },
    },
  },
};
