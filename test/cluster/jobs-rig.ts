import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { V1ConfigMap, V1Deployment, V1Job, V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { installs, type Installed } from '../operators/kit/installs.ts';
import { operatorParts } from '../operators/kit/operator-image.ts';
import { builtMain } from '../support/built-program.ts';
import { serviceAccountUser, type AuditEntry } from './audit.ts';
import type { SharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';

export interface JobsRigOptions {
  readonly plane: SharedControlPlane;
  /** The text of each hook, by its name. */
  readonly hooks: Readonly<Record<string, string>>;
  /** Programs of an image called `foreign`, by name. */
  readonly foreign?: Readonly<Record<string, string>>;
  readonly replicas?: number;
  /** Variables of the operator. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of the pool `default`; absent: there are none. */
  readonly workers?: number;
  /** Runs of each at the same time; default 4. */
  readonly capacity?: number;
}

/** An operator in Pods of its own namespace, installed as `hooklet manifests` says, and the Jobs that it makes. */
export interface JobsRig extends Pick<Installed, 'kubelet' | 'kubectl' | 'apply' | 'get'>, AsyncDisposable {
  readonly namespace: string;
  readonly jobs: () => Promise<readonly V1Job[]>;
  /** Of the operator, of Jobs, or of workers. */
  readonly pods: (of: 'operator' | 'jobs' | 'workers') => Promise<readonly V1Pod[]>;
  /** The `data` of a ConfigMap; rejects where it is not there. */
  readonly data: (name: string) => Promise<Readonly<Record<string, string>>>;
  /** The names of ConfigMaps that begin so. */
  readonly named: (prefix: string) => Promise<readonly string[]>;
  /** Makes ConfigMaps that a hook is called for, which `asked` binds to them. */
  readonly ask: (hook: string, ...names: readonly string[]) => Promise<void>;
  /** Posts an object to a subresource of an object of the namespace, such as `pods/name/eviction`. */
  readonly post: (path: string, object: object) => Promise<string>;
  /** The folder on this machine that all Pods of Jobs have at /shared. */
  readonly shared: () => string;
  /** Lets hooks go on that wait for this. */
  readonly tell: (...names: readonly string[]) => void;
  /** What a hook of `jobs-hooks.ts` has done for an object, as soon as it was applied, by exactly one run. */
  readonly done: (name: string) => Promise<Readonly<Record<string, string>>>;
  /** The Jobs of a hook. */
  readonly jobsOf: (hook: string) => Promise<readonly V1Job[]>;
  /** All that the Pods of the operator, or of workers, have printed. */
  readonly log: (of?: 'operator' | 'workers') => Promise<string>;
  /** What the operator has asked of the API server for objects of its namespace. */
  readonly requests: () => Promise<readonly AuditEntry[]>;
}

/** Installs hooks, of which some are Jobs, and waits until the operator is ready. */
export async function startJobs({
  plane,
  hooks,
  foreign = {},
  replicas = 1,
  env = {},
  workers = 0,
  capacity = 4,
}: JobsRigOptions): Promise<JobsRig> {
  const namespace = `jobs-${crypto.randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-jobs-'));
  chmodSync(folder, 0o755);
  const [hooksDir, programs] = [join(folder, 'hooks'), join(folder, 'programs')];
  writeAll(hooksDir, hooks);
  writeAll(programs, foreign);
  const parts = await operatorParts();
  const image = parts.imageOf(hooksDir);
  const manifests = join(folder, 'manifests');
  mkdirSync(manifests);
  await writeManifests(manifests, { hooksDir, namespace, replicas, env, workers, capacity });
  const installed = await installs({
    plane,
    manifests,
    namespace,
    name: 'hooklet',
    images: { operator: image, foreign: { programs: [programs], entrypoint: ['hook'] } },
  });
  const { get, kubectl, kubelet, apply } = installed;
  const items = async <T>(...what: readonly string[]): Promise<readonly T[]> =>
    (await get<{ readonly items: readonly T[] }>(...what)).items;
  const pods: JobsRig['pods'] = async (of) => items<V1Pod>('pods', '-l', SELECTORS[of]);
  const jobs = async () => items<V1Job>('jobs');
  const shared = (): string => kubelet.volumeOf(namespace, 'shared');
  const rig: JobsRig = {
    namespace,
    kubelet,
    kubectl,
    apply,
    get,
    pods,
    jobs,
    jobsOf: async (hook) => (await jobs()).filter((job) => hookOf(job) === hook),
    post: async (path, object) => {
      writeFileSync(join(folder, 'posted.json'), JSON.stringify(object));
      return kubectl('create', '--raw', `/api/v1/namespaces/${namespace}/${path}`, '-f', join(folder, 'posted.json'));
    },
    shared,
    tell: (...names) => names.forEach((name) => writeFileSync(join(shared(), `told-${name}`), '')),
    done: async (name) =>
      eventually(async () => {
        const found = await rig.named(`did-${name}-`);
        expect(found, await rig.log()).toHaveLength(1);
        return rig.data(found[0] ?? '');
      }, 60_000),
    data: async (name) => (await get<V1ConfigMap>('configmap', name)).data ?? {},
    named: async (prefix) => {
      const all = await items<V1ConfigMap>('configmaps');
      return all.map(({ metadata }) => metadata?.name ?? '').filter((name) => name.startsWith(prefix));
    },
    ask: async (hook, ...names) => {
      const of = (name: string) => ({ name, namespace, labels: { ask: hook } });
      await apply(...names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: of(name) })));
    },
    log: async (of = 'operator') => {
      const all = await pods(of);
      return (
        await Promise.all(all.map(async ({ metadata }) => kubelet.logs({ namespace, name: metadata?.name ?? '' })))
      ).join('');
    },
    requests: async () => {
      const user = serviceAccountUser(namespace, 'hooklet');
      return (await plane.auditLog()).filter((entry) => entry.user === user);
    },
    async [Symbol.asyncDispose]() {
      await kubectl('delete', 'jobs', '--all', '--wait=false').catch(() => '');
      await installed[Symbol.asyncDispose]();
      parts[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await apply(claimIn(namespace));
  await kubectl('wait', 'pvc/shared', '--for=jsonpath={.status.phase}=Bound', '--timeout=30s');
  chmodSync(shared(), 0o777);
  await eventually(async () => {
    const { status } = await get<V1Deployment>('deployment', 'hooklet');
    // Of the manifest alone, which is patched, there may be Pods yet.
    const { replicas: all, updatedReplicas, readyReplicas } = status ?? {};
    expect([all, updatedReplicas, readyReplicas], await rig.log()).toEqual([replicas, replicas, replicas]);
    expect(await pods('operator')).toHaveLength(replicas);
    if (workers === 0) return;
    const { status: ofWorkers } = await get<V1Deployment>('deployment', 'hooklet-workers');
    const { readyReplicas: ready, updatedReplicas: updated } = ofWorkers ?? {};
    expect([ready, updated], await rig.log('workers')).toEqual([workers, workers]);
    expect(await pods('workers')).toHaveLength(workers);
  }, 120_000);
  return rig;
}

const SELECTORS = {
  operator: 'app.kubernetes.io/name=hooklet',
  jobs: 'app.kubernetes.io/managed-by=hooklet,app.kubernetes.io/name!=hooklet-workers',
  workers: 'app.kubernetes.io/name=hooklet-workers',
} as const;

function claimIn(namespace: string): object {
  const spec = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '64Mi' } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'shared', namespace }, spec };
}

/** The name of the hook whose run a Job is. */
function hookOf({ metadata }: V1Job): unknown {
  return Object(JSON.parse(metadata?.annotations?.['hooklet.dev/run'] ?? '{}'))['hook'];
}

function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { mode: 0o755 });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), name.endsWith('.yaml') ? 0o644 : 0o755);
  }
}

interface Written {
  readonly hooksDir: string;
  readonly namespace: string;
  readonly replicas: number;
  readonly env: Readonly<Record<string, string>>;
  readonly workers: number;
  readonly capacity: number;
}

async function writeManifests(
  folder: string,
  { hooksDir, namespace, replicas, env, workers, capacity }: Written,
): Promise<void> {
  const args = ['manifests', hooksDir, '--image', 'operator', '--namespace', namespace, '--create-namespace'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [builtMain(), ...args, '--replicas', String(replicas)],
    {
      env: { ...process.env, POD_NAMESPACE: namespace },
    },
  );
  writeFileSync(join(folder, 'hooklet.yaml'), stdout);
  // What the hooks of these tests write.
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'update'] },
  ];
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'writes', namespace },
    rules,
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'writes', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'writes' },
    subjects: [{ kind: 'ServiceAccount', name: 'hooklet', namespace }],
  };
  writeFileSync(
    join(folder, 'writes.yaml'),
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [role, binding] }),
  );
  const container = '/spec/template/spec/containers/0';
  const patch = [
    ...Object.entries(env).map(([name, value]) => ({ op: 'add', path: `${container}/env/-`, value: { name, value } })),
    // A process that stands still is not to be restarted by its node.
    { op: 'remove', path: `${container}/livenessProbe` },
  ];
  const patches = [
    { target: { kind: 'Deployment', name: 'hooklet' }, patch: JSON.stringify(patch) },
    ...(workers > 0
      ? [{ target: { kind: 'Deployment', name: 'hooklet-workers' }, patch: workersPatch(workers, capacity) }]
      : []),
  ];
  const kustomization = { resources: ['hooklet.yaml', 'writes.yaml'], patches };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
}

/** Workers at /shared too, whose liveness is not looked at. */
function workersPatch(replicas: number, capacity: number): string {
  const container = '/spec/template/spec/containers/0';
  return JSON.stringify([
    { op: 'add', path: '/spec/replicas', value: replicas },
    { op: 'add', path: `${container}/args/-`, value: `--capacity=${capacity}` },
    { op: 'add', path: `${container}/volumeMounts/-`, value: { name: 'shared', mountPath: '/shared' } },
    { op: 'add', path: '/spec/template/spec/volumes/-', value: { name: 'shared', ...SHARED } },
    { op: 'remove', path: `${container}/livenessProbe` },
  ]);
}

const SHARED = { persistentVolumeClaim: { claimName: 'shared' } };
