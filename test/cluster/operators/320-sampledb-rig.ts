import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubernetesObject } from 'hooklet';
import type { Image } from '@hooklet/test-kubelet';
import type { KubeClient } from '../../../src/kube/client.ts';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import { installs, type Installed } from '../../operators/kit/installs.ts';
import { operatorParts } from '../../operators/kit/operator-image.ts';
import { operatorPod, type OperatorPod } from '../../operators/kit/operator-pod.ts';
import { examplesDir } from '../../support/example-rig.ts';
import { connectAs } from '../operator-rig.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';

const example = join(examplesDir, '320-sampledb');
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
export const OPERATOR = { namespace: 'example-sampledb', name: 'sampledb' };

/** The operator, installed by one apply, and databases in a namespace beside it. */
export interface SampleRig extends OperatorPod, Omit<Installed, 'get'> {
  readonly namespace: string;
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
}

/** Installs the operator; it and the passwords in a namespace beside it are there on return. */
export async function startSampleRig(plane: SharedControlPlane): Promise<SampleRig> {
  await using ends = new AsyncDisposableStack();
  const namespace = `sampledb-${crypto.randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-sampledb-'));
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  const parts = ends.use(await operatorParts());
  const installed = ends.use(
    await installs({
      plane,
      manifests: join(example, 'manifests'),
      ...OPERATOR,
      namespaces: [namespace],
      images: { 'registry.example.com/sampledb:1': parts.imageOf(join(example, 'hooks')), ...databaseImages(folder) },
      leftovers: ['validatingwebhookconfiguration/example-sampledb-hooks', 'storageclass/growing'],
    }),
  );
  const client = createKubeClient(await connectAs(plane, 'admin')(), { userAgent: 'hooklet-test' });
  ends.defer(async () => client.close());
  const own = handsOf(installed, client, namespace);
  await installed.apply(...surroundings(namespace));
  // As of files, whose newline at the end is no part of a password.
  const files = Object.fromEntries(Object.entries(PASSWORDS).map(([key, password]) => [key, `${password}\n`]));
  await own.create('secrets', { metadata: { name: 'passwords' }, stringData: files });
  ends.defer(async () => {
    for (const { metadata } of await own.list('sampledbs')) {
      await own.remove('sampledbs', metadata.name);
      // It may be gone.
      await own.patch('sampledbs', metadata.name, { metadata: { finalizers: null } }).catch(() => {});
    }
    await installed.kubectl('delete', 'namespace', namespace, '--wait=false');
  });
  const operator = operatorPod(installed, OPERATOR);
  await operator.startOperator();
  const rest = ends.move();
  return { ...installed, ...own, ...operator, namespace, [Symbol.asyncDispose]: async () => rest.disposeAsync() };
}

function handsOf({ kubelet }: Installed, client: KubeClient, namespace: string) {
  const pathOf = (resource: string, name?: string, subresource?: string): string =>
    [PATHS[resource] ?? '/api/v1', 'namespaces', namespace, resource, name, subresource]
      .filter((part) => part !== undefined)
      .join('/');
  const list: SampleRig['list'] = async (resource) => {
    const found: unknown = await client.request({ method: 'GET', path: pathOf(resource) }, NEVER);
    const { items }: { items?: readonly KubernetesObject[] } = Object(found);
    return items ?? [];
  };
  const get: SampleRig['get'] = async (resource, name) =>
    (await list(resource)).find(({ metadata }) => metadata.name === name);
  const create: SampleRig['create'] = async (resource, object) =>
    void (await client.request({ method: 'POST', path: pathOf(resource), body: JSON.stringify(object) }, NEVER));
  const own: Omit<SampleRig, 'namespace' | keyof OperatorPod | Exclude<keyof Installed, 'get'>> = {
    get,
    list,
    create,
    patch: async (resource, name, change, subresource) => {
      const body = JSON.stringify(change);
      const contentType = 'application/merge-patch+json';
      await client.request({ method: 'PATCH', path: pathOf(resource, name, subresource), body, contentType }, NEVER);
    },
    remove: async (resource, name) =>
      void (await client.request({ method: 'DELETE', path: pathOf(resource, name) }, NEVER)),
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
  };
  return own;
}

/** The conditions of an object. */
export function conditionsOf(object: KubernetesObject | undefined): readonly Readonly<Record<string, unknown>>[] {
  const { conditions }: { conditions?: readonly Readonly<Record<string, unknown>>[] } = Object(object?.['status']);
  return conditions ?? [];
}

/** A namespace that enforces Pod Security `restricted`, and a class of storage whose volumes grow. */
function surroundings(namespace: string): readonly object[] {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'growing' },
      provisioner: 'kubelet.hooklet.test',
      allowVolumeExpansion: true,
    },
  ];
}

function databaseImages(folder: string): Readonly<Record<string, Image>> {
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
