import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubernetesObject } from 'hooklet';
import { parseAllDocuments } from 'yaml';
import { startKubelet, type Image, type Kubelet } from '@hooklet/test-kubelet';
import { KubeError } from '../../../src/errors.ts';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import { builtMain } from '../../support/built-program.ts';
import { connectAs } from '../operator-rig.ts';
import { ServerProcess } from '../server-process.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';

const example = join(import.meta.dirname, '../../../examples/320-sampledb');
const NEVER = new AbortController().signal;
const GROUP = 'example.hooklet.dev';
const PATHS: Readonly<Record<string, string>> = {
  sampledbs: `/apis/${GROUP}/v1`,
  statefulsets: '/apis/apps/v1',
  jobs: '/apis/batch/v1',
  cronjobs: '/apis/batch/v1',
};
/** The passwords of each database. */
export const PASSWORDS = { adminPassword: 'the "first" one', password: "it's another" };
/** Versions whose images there are; all of them are the PostgreSQL of this machine. */
export const VERSIONS = ['15', '15.1', '16'] as const;
const USER = 'nobody';

/** The example at work on real servers, as a user with exactly its rights. */
export interface SampleRig extends AsyncDisposable {
  readonly namespace: string;
  readonly kubelet: Kubelet;
  readonly get: (resource: string, name: string) => Promise<KubernetesObject | undefined>;
  readonly list: (resource: string) => Promise<readonly KubernetesObject[]>;
  readonly create: (resource: string, object: object) => Promise<void>;
  readonly patch: (resource: string, name: string, change: object, subresource?: string) => Promise<void>;
  readonly remove: (resource: string, name: string) => Promise<void>;
  /** Makes a SampleDB. */
  readonly make: (name: string, spec?: object) => Promise<void>;
  /** Waits until a condition of a SampleDB is so. */
  readonly told: (
    name: string,
    condition: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Runs SQL over the network, as the role that owns the database. */
  readonly sql: (name: string, text: string) => Promise<string>;
  /** The lines of Warnings about a SampleDB. */
  readonly warnings: (name: string) => Promise<readonly string[]>;
  /** The process of the operator; it is not started. */
  readonly operator: Pick<ServerProcess, 'start' | 'kill'>;
}

/** Starts a node, and installs the definition and the rights of the example; the operator is not started. */
export async function startSampleRig(plane: SharedControlPlane): Promise<SampleRig> {
  const namespace = `sampledb-${crypto.randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-sampledb-'));
  const client = createKubeClient(await connectAs(plane, 'admin')(), { userAgent: 'hooklet-test' });
  const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, object?: object): Promise<unknown> =>
    client.request({ method, path, ...(object !== undefined && { body: JSON.stringify(object) }) }, NEVER);
  const pathOf = (resource: string, name?: string, subresource?: string): string =>
    [PATHS[resource] ?? '/api/v1', 'namespaces', namespace, resource, name, subresource]
      .filter((part) => part !== undefined)
      .join('/');
  await install(call, namespace);
  const kubelet = await startKubelet({
    plane,
    connect: connectAs(plane, 'admin'),
    namespaces: [namespace],
    images: imagesIn(folder),
  });
  const operator = operatorIn(folder, namespace, plane);
  const list: SampleRig['list'] = async (resource) => {
    const { items }: { items?: readonly KubernetesObject[] } = Object(await call('GET', pathOf(resource)));
    return items ?? [];
  };
  const get: SampleRig['get'] = async (resource, name) => {
    try {
      return Object(await call('GET', pathOf(resource, name)));
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  };
  const create: SampleRig['create'] = async (resource, object) => void (await call('POST', pathOf(resource), object));
  return {
    namespace,
    kubelet,
    get,
    list,
    create,
    patch: async (resource, name, change, subresource) => {
      const body = JSON.stringify(change);
      const contentType = 'application/merge-patch+json';
      await client.request({ method: 'PATCH', path: pathOf(resource, name, subresource), body, contentType }, NEVER);
    },
    remove: async (resource, name) => void (await call('DELETE', pathOf(resource, name))),
    make: async (name, spec = {}) => {
      const base = { version: '15', secretName: 'passwords', storage: { size: '256Mi', storageClassName: 'growing' } };
      const object = { apiVersion: `${GROUP}/v1`, kind: 'SampleDB', metadata: { name }, spec: { ...base, ...spec } };
      await create('sampledbs', object);
    },
    told: async (name, wanted) =>
      eventually(async () => {
        const conditions = conditionsOf(await get('sampledbs', name));
        const found = conditions.find((one) => Object.entries(wanted).every(([key, value]) => one[key] === value));
        if (found === undefined)
          throw new Error(`${name}: no ${JSON.stringify(wanted)} in ${JSON.stringify(conditions)}`);
        return found;
      }, 180_000),
    sql: async (name, text) => {
      const address = kubelet.addressOf({ namespace, name: `${name}-0` });
      if (address === undefined) throw new Error(`Pod ${name}-0 has no address`);
      const env = { PGHOST: address, PGUSER: 'app', PGDATABASE: 'app', PGPASSWORD: PASSWORDS.password };
      return psql(text, { ...process.env, ...env, PGCONNECT_TIMEOUT: '3' });
    },
    warnings: async (name) =>
      (await list('events'))
        .filter(({ type, involvedObject }) => type === 'Warning' && Object(involvedObject)['name'] === name)
        .map(({ reason, message }) => `${String(reason)}: ${String(message)}`),
    operator,
    async [Symbol.asyncDispose]() {
      await release(list, async (name) => {
        await call('DELETE', pathOf('sampledbs', name));
        await client.request(
          {
            method: 'PATCH',
            path: pathOf('sampledbs', name),
            body: JSON.stringify({ metadata: { finalizers: null } }),
            contentType: 'application/merge-patch+json',
          },
          NEVER,
        );
      });
      await operator.kill();
      await kubelet[Symbol.asyncDispose]();
      await call('DELETE', `/api/v1/namespaces/${namespace}`);
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Without the webhook, for which the API server would have to reach this process. */
function operatorIn(folder: string, namespace: string, plane: SharedControlPlane): ServerProcess {
  const [config, hooks] = [join(folder, 'kubeconfig'), join(folder, 'hooks')];
  writeFileSync(config, plane.kubeconfig(USER), { mode: 0o600 });
  cpSync(join(example, 'hooks'), hooks, { recursive: true, filter: (path) => !path.endsWith('-webhook.ts') });
  const env = [`KUBECONFIG=${config}`, `POD_NAMESPACE=${namespace}`, 'POD_NAME=sampledb', 'LOG_TYPE=json'];
  const flags = ['--hooks-dir', hooks, '--tmp-dir', join(folder, 'tmp'), '--listen-port', '0'];
  const words = [process.execPath, builtMain(), 'start', ...flags, '--listen-address', '127.0.0.1'];
  return new ServerProcess('env', [...env, ...words], { logFolder: folder });
}

/** The conditions of an object. */
export function conditionsOf(object: KubernetesObject | undefined): readonly Readonly<Record<string, unknown>>[] {
  const { conditions }: { conditions?: readonly Readonly<Record<string, unknown>>[] } = Object(object?.['status']);
  return conditions ?? [];
}

async function release(list: SampleRig['list'], remove: (name: string) => Promise<void>): Promise<void> {
  for (const { metadata } of await list('sampledbs')) await remove(metadata.name).catch(() => {});
}

type Call = (method: 'GET' | 'POST' | 'DELETE', path: string, object?: object) => Promise<unknown>;

/** What is there already is another test's, and the same. */
async function install(call: Call, namespace: string): Promise<void> {
  const add = async (path: string, object: object): Promise<void> => {
    await call('POST', path, object).catch((error: unknown) => {
      if (!(error instanceof KubeError) || error.status !== 409) throw error;
    });
  };
  const rights = documentsIn('rights.yaml').find(({ kind }) => kind === 'ClusterRole');
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'example-sampledb' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }];
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await add('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', documentsIn('crd.yaml')[0] ?? {});
  await add(`${rbac}/clusterroles`, rights ?? {});
  await add(`${rbac}/clusterrolebindings`, { metadata: { name: namespace }, roleRef, subjects });
  await add('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'growing' },
    provisioner: 'kubelet.hooklet.test',
    allowVolumeExpansion: true,
  });
  await add('/api/v1/namespaces', { metadata: { name: namespace, labels: restricted } });
  await add(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: 'passwords' }, stringData: PASSWORDS });
  await eventually(async () => call('GET', `/apis/${GROUP}/v1/sampledbs`));
}

function documentsIn(file: string): readonly KubernetesObject[] {
  const text = readFileSync(join(example, 'manifests', file), 'utf8');
  return parseAllDocuments(text).map((document): KubernetesObject => document.toJS());
}

function imagesIn(folder: string): Readonly<Record<string, Image>> {
  const root = '/usr/lib/postgresql';
  const newest = readdirSync(root)
    .toSorted((a, b) => Number(a) - Number(b))
    .at(-1);
  // initdb looks up the name of its user.
  const passwd = join(folder, 'passwd');
  writeFileSync(passwd, `${readFileSync('/etc/passwd', 'utf8')}database:x:999:999::/tmp:/usr/sbin/nologin\n`);
  const image: Image = { programs: [join(root, newest ?? '', 'bin')], files: { '/etc/passwd': passwd } };
  return Object.fromEntries(VERSIONS.map((version) => [`postgres:${version}`, image]));
}

async function psql(text: string, env: NodeJS.ProcessEnv): Promise<string> {
  const running = promisify(execFile)('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1'], { env, timeout: 20_000 });
  running.child.stdin?.end(text);
  return (await running).stdout.trim();
}
