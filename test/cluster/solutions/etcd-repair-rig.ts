import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CoreV1Event, V1ConfigMap, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import { type Image, type Kubelet, type PodName, startKubelet } from '@hooklet/test-kubelet';
import { KubeError } from '../../../src/errors.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import { kubectlAsset } from '../assets.ts';
import { connectAs } from '../operator-rig.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import { EtcdApi, type EtcdAccess } from './etcd-api.ts';
import { etcdRepairImages } from './etcd-repair-image.ts';
import { kustomization, type Installation } from './etcd-repair-install.ts';
import { securityOf, type SecurityOptions } from './etcd-repair-security.ts';
import { eventually } from './eventually.ts';

export interface EtcdRepairOptions extends Partial<Installation>, SecurityOptions {
  readonly plane: SharedControlPlane;
  readonly images?: Readonly<Record<string, Image>>;
  /** Objects in addition to those of the solution. */
  readonly resources?: readonly object[];
}

/** An etcd StatefulSet whose members really run, and the solution next to it, in a namespace of their own. */
export interface EtcdRepairRig extends AsyncDisposable {
  readonly plane: SharedControlPlane;
  readonly namespace: string;
  readonly replicas: number;
  readonly kubelet: Kubelet;
  readonly etcd: EtcdApi;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  readonly podName: (pod: string) => PodName;
  readonly get: <T>(plural: string, name: string) => Promise<T | undefined>;
  readonly statefulSet: () => Promise<V1StatefulSet>;
  /** The state that the hook persists on the StatefulSet. */
  readonly state: () => Promise<RepairState>;
  /** The Events on the StatefulSet, with names, reasons and messages, oldest first. */
  readonly events: () => Promise<readonly RepairEvent[]>;
  /** The samples of the hook's metrics. */
  readonly metrics: () => Promise<string>;
  readonly patch: (plural: string, name: string, change: object) => Promise<void>;
  readonly remove: (plural: string, name: string) => Promise<void>;
  /** Scales the Deployment of the hook. */
  readonly scaleHook: (replicas: number) => Promise<void>;
  readonly hookPods: () => Promise<readonly V1Pod[]>;
  /** Runs a script before or after a call of etcdctl, such as `after-member-remove`, until the script is removed. */
  readonly control: (call: string, script: string) => Promise<() => Promise<void>>;
}

export interface RepairEvent {
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  readonly type: string;
}

export interface RepairState {
  readonly unhealthy?: Readonly<Record<string, string>>;
  readonly repair?: {
    readonly pod: string;
    readonly memberID: string;
    readonly step: string;
    readonly snapshot: string;
  };
  readonly told?: string;
}

export const STATE_ANNOTATION = 'etcd-repair.hooklet.dev/state';
export const PAUSE_ANNOTATION = 'etcd-repair.hooklet.dev/pause';
const NEVER = new AbortController().signal;
/** How long a member must be down to be replaced. With less, healthy members seem to be down on a slow machine. */
export const REPAIR_AFTER_SECONDS = 10;
const QUICK = {
  ETCD_TIMEOUT_SECONDS: '2',
  REPAIR_AFTER_SECONDS: String(REPAIR_AFTER_SECONDS),
  REPAIR_JOIN_SECONDS: '120',
  REPAIR_CRONTAB: '*/3 * * * * *',
  REPAIR_MAX_PER_DAY: '1000',
};

/**
 * Installs both with `kubectl apply -k`, and does not wait for them; with `auth` it waits until etcd requires a
 * password.
 */
export async function startEtcdRepair(options: EtcdRepairOptions): Promise<EtcdRepairRig> {
  const { plane, replicas = 3, namespace = newNamespace() } = options;
  const security = securityOf(options, namespace, replicas);
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-etcd-'));
  const controlDir = join(folder, 'control');
  await mkdir(controlDir);
  const images = { ...(await etcdRepairImages(controlDir)), ...options.images };
  const connect = connectAs(plane, 'admin');
  const kubelet = await startKubelet({ plane, connect, namespaces: [namespace], images });
  const client = createKubeClient(await connect(), { userAgent: 'hooklet-test' });
  await writeFile(join(folder, 'kubeconfig'), plane.kubeconfig('admin'), { mode: 0o600 });
  const resources = [...security.resources, ...(options.resources ?? [])];
  await writeFile(join(folder, 'resources.yaml'), resources.map((object) => stringify(object)).join('---\n'));
  const installation = kustomization(folder, {
    ...options,
    namespace,
    replicas,
    settings: { ...QUICK, ...security.settings, ...options.settings },
    patches: [...security.patches, ...(options.patches ?? [])],
  });
  await writeFile(join(folder, 'kustomization.yaml'), installation);
  const program = await kubectlAsset(process.env);
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
    const { stdout } = await promisify(execFile)(program, ['--namespace', namespace, ...args], { env });
    return stdout;
  };
  await kubectl('apply', '-k', folder);
  const { access } = security;
  const parts = rigOf({ plane, namespace, replicas, kubelet, client, kubectl, controlDir, access });
  const rig: EtcdRepairRig = {
    ...parts,
    async [Symbol.asyncDispose]() {
      await kubelet[Symbol.asyncDispose]();
      await client.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` }, NEVER).catch(() => {});
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (access.user === undefined) return rig;
  try {
    await eventually(async () => rig.etcd.enableAuth());
    return rig;
  } catch (error) {
    await rig[Symbol.asyncDispose]();
    throw error;
  }
}

/** A name that no other cluster has. */
export function newNamespace(): string {
  return `etcd-${crypto.randomUUID().slice(0, 8)}`;
}

interface Parts extends Pick<EtcdRepairRig, 'plane' | 'namespace' | 'replicas' | 'kubelet' | 'kubectl'> {
  readonly client: KubeClient;
  readonly controlDir: string;
  readonly access: EtcdAccess;
}

function rigOf({ client, controlDir, access, ...parts }: Parts): Omit<EtcdRepairRig, keyof AsyncDisposable> {
  const { namespace, replicas, kubelet } = parts;
  const path = (plural: string, name?: string): string => {
    const root = GROUPS[plural] === undefined ? '/api/v1' : `/apis/${GROUPS[plural]}/v1`;
    return [root, 'namespaces', namespace, plural, ...(name === undefined ? [] : [name])].join('/');
  };
  const get = async <T>(plural: string, name: string): Promise<T | undefined> => {
    try {
      return (await client.request({ method: 'GET', path: path(plural, name) }, NEVER)) as T;
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  };
  const list = async <T>(plural: string): Promise<readonly T[]> =>
    ((await client.request({ method: 'GET', path: path(plural) }, NEVER)) as { readonly items: readonly T[] }).items;
  const patch: EtcdRepairRig['patch'] = async (plural, name, change) => {
    const contentType = 'application/merge-patch+json';
    await client.request(
      { method: 'PATCH', path: path(plural, name), body: JSON.stringify(change), contentType },
      NEVER,
    );
  };
  const statefulSet = async (): Promise<V1StatefulSet> => {
    const found = await get<V1StatefulSet>('statefulsets', 'etcd');
    if (found === undefined) throw new Error('there is no StatefulSet etcd');
    return found;
  };
  const podName = (name: string): PodName => ({ namespace, name });
  const hookPods = async (): Promise<readonly V1Pod[]> =>
    (await list<V1Pod>('pods')).filter(({ metadata }) => metadata?.labels?.['app'] === 'etcd-member-repair');
  return {
    ...parts,
    etcd: new EtcdApi(
      Array.from({ length: replicas }, (_, at) => `etcd-${at}`),
      (pod) => kubelet.addressOf(podName(pod)),
      access,
    ),
    podName,
    get,
    statefulSet,
    state: async () =>
      JSON.parse((await statefulSet()).metadata?.annotations?.[STATE_ANNOTATION] ?? '{}') as RepairState,
    events: async () =>
      (await list<CoreV1Event>('events'))
        .filter(({ source }) => source?.component === 'etcd-repair')
        .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map(({ metadata: { name = '' }, reason = '', message = '', type = '' }) => ({ name, reason, message, type })),
    metrics: async () => {
      const [pod] = await hookPods();
      const address = kubelet.addressOf(podName(pod?.metadata?.name ?? ''));
      return address === undefined ? '' : (await fetch(`http://${address}:9115/metrics/hooks`)).text();
    },
    patch,
    remove: async (plural, name) => {
      await client.request({ method: 'DELETE', path: path(plural, name) }, NEVER);
    },
    scaleHook: async (count) => patch('deployments', 'etcd-member-repair', { spec: { replicas: count } }),
    hookPods,
    control: async (call, script) => {
      const file = join(controlDir, call);
      await writeFile(file, script, { mode: 0o644 });
      return async () => rm(file, { force: true });
    },
  };
}

const GROUPS: Readonly<Record<string, string>> = {
  statefulsets: 'apps',
  deployments: 'apps',
  roles: 'rbac.authorization.k8s.io',
};

/** The value of the marker. */
export async function markerOf({ get }: EtcdRepairRig): Promise<string | undefined> {
  return (await get<V1ConfigMap>('configmaps', 'etcd-cluster'))?.data?.['state'];
}
