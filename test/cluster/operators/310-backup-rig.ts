import { execFile } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { KubernetesObject } from 'hooklet';
import { parseAllDocuments, stringify } from 'yaml';
import { startKubelet, type Image, type Kubelet } from '@hooklet/test-kubelet';
import { kubectlAsset, s3ServerAsset } from '../assets.ts';
import { startProgram, type Program } from '../../support/program.ts';
import { freePorts } from '../free-ports.ts';
import { connectAs } from '../operator-rig.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';
import { DATABASES } from '../solutions/backup-databases.ts';

const root = join(import.meta.dirname, '../../..');
const example = join(root, 'examples/310-backup');
const IMAGE = 'registry.example.com/backup-operator:1';
const USER = 'nobody';
const LIMIT_MS = 300_000;

/** The example at work on real servers, as a user with exactly its rights, beside PostgreSQL and an S3 server. */
export interface BackupRig extends AsyncDisposable {
  /** Where Backups and their Jobs are; Pod Security enforces `restricted` there. */
  readonly namespace: string;
  readonly kubelet: Kubelet;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  readonly apply: (...objects: readonly object[]) => Promise<void>;
  readonly get: (resource: string, name: string) => Promise<KubernetesObject | undefined>;
  readonly list: (resource: string, ...args: readonly string[]) => Promise<readonly KubernetesObject[]>;
  /** Waits until the status of a Backup has these fields, and conditions. */
  readonly told: (name: string, wanted: (status: Status) => void) => Promise<void>;
  /** Makes a Job as the CronJob would at its tick. */
  readonly run: (cronJob: string, job: string) => Promise<void>;
  /** The files of a folder in the bucket. */
  readonly bucket: (folder: string) => Promise<readonly string[]>;
  readonly sql: (text: string, database?: string) => Promise<string>;
  readonly startOperator: () => Promise<Program>;
}

/** What a test looks at in a status. */
export type Status = Readonly<Record<string, unknown>>;

/** Starts servers and a node, and installs definition and rights; the operator is not started. */
export async function startBackupRig(plane: SharedControlPlane): Promise<BackupRig> {
  const namespace = `backups-${crypto.randomUUID().slice(0, 8)}`;
  const servers = `${namespace}-servers`;
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-backups-'));
  const kubelet = await startKubelet({
    plane,
    connect: connectAs(plane, 'admin'),
    namespaces: [namespace, servers],
    images: await imagesIn(folder),
  });
  const kubectl = await kubectlIn(plane, folder);
  const apply = async (where: string, objects: readonly object[]): Promise<void> => {
    const file = join(folder, `${crypto.randomUUID()}.yaml`);
    writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
    await kubectl('--namespace', where, 'apply', '-f', file);
  };
  await install({ apply, namespace, servers });
  const inServer = async (name: string, script: string): Promise<string> => {
    const done = await kubelet.exec({ namespace: servers, name: `${name}-0` }, ['bash', '-c', script]);
    if (done.exitCode !== 0) throw new Error(`${name}: ${script}: ${done.stderr}`);
    return done.stdout.trim();
  };
  const list: BackupRig['list'] = async (resource, ...args) => {
    const text = await kubectl('--namespace', namespace, 'get', resource, '-o', 'json', ...args);
    const { items }: { items: readonly KubernetesObject[] } = JSON.parse(text);
    return items;
  };
  const get: BackupRig['get'] = async (resource, name) =>
    (await list(resource)).find(({ metadata }) => metadata.name === name);
  return {
    namespace,
    kubelet,
    kubectl: async (...args) => kubectl('--namespace', namespace, ...args),
    apply: async (...objects) => apply(namespace, objects),
    get,
    list,
    told: async (name, wanted) =>
      eventually(async () => wanted(Object((await get('backups', name))?.['status'])), LIMIT_MS),
    run: async (cronJob, job) =>
      void (await kubectl('--namespace', namespace, 'create', 'job', `--from=cronjob/${cronJob}`, job)),
    bucket: async (path) => {
      const found = await inServer('s3', `cd /data/backups/${path} 2> /dev/null || exit 0; find . -type f`);
      return found
        .split('\n')
        .filter((line) => line !== '')
        .toSorted();
    },
    sql: async (text, database = 'app') =>
      inServer('postgresql', `psql -XAtq -h /tmp -U postgres -d ${database} -c "${text}"`),
    startOperator: async () => startOperator(plane, folder, namespace),
    async [Symbol.asyncDispose]() {
      await kubelet[Symbol.asyncDispose]();
      const release = ['patch', '--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
      for (const { metadata } of await list('backups')) {
        await kubectl('--namespace', namespace, ...release, `backups/${metadata.name}`);
      }
      await kubectl('delete', 'namespace', namespace, servers, '--wait=false');
      await kubectl('delete', 'clusterrolebinding', namespace);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startOperator(plane: SharedControlPlane, folder: string, namespace: string): Promise<Program> {
  const config = join(folder, 'operator.kubeconfig');
  writeFileSync(config, plane.kubeconfig(USER), { mode: 0o600 });
  const [port = 0] = await freePorts(1);
  const flags = ['--hooks-dir', join(example, 'hooks'), '--tmp-dir', join(folder, 'tmp'), '--listen-port', '0'];
  const webhooks = ['--validating-webhook-listen-port', String(port), '--webhook-url', `https://127.0.0.1:${port}`];
  const env = {
    KUBECONFIG: config,
    POD_NAMESPACE: namespace,
    POD_NAME: 'backup',
    LOG_TYPE: 'json',
    BACKUP_IMAGE: IMAGE,
    HOOKLET_VALIDATING_WEBHOOK_CONFIGURATION_NAME: 'example-backup',
  };
  return startProgram(['start', ...flags, ...webhooks, '--listen-address', '127.0.0.1'], { env });
}

interface Place {
  readonly apply: (where: string, objects: readonly object[]) => Promise<void>;
  readonly namespace: string;
  readonly servers: string;
}

async function install({ apply, namespace, servers }: Place): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await apply('default', [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: servers } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    ...documentsIn('crd.yaml'),
    ...documentsIn('rbac.yaml').filter(({ kind }) => kind === 'ClusterRole'),
  ]);
  const rbac = 'rbac.authorization.k8s.io';
  const subjects = [{ apiGroup: rbac, kind: 'User', name: USER }];
  const role = documentsIn('rbac.yaml').find(({ kind }) => kind === 'Role');
  const bind = (kind: string, name: string): object => ({
    apiVersion: `${rbac}/v1`,
    kind: `${kind}Binding`,
    metadata: { name: namespace },
    roleRef: { apiGroup: rbac, kind, name },
    subjects,
  });
  const rights = [{ ...role, metadata: { name: 'backup' } }, bind('Role', 'backup')];
  await apply(namespace, [...rights, bind('ClusterRole', 'example-backup')]);
  await apply(servers, DATABASES.filter(isWanted));
  await apply(namespace, [
    secret('postgresql', { username: 'backup', password: 'postgresql-secret' }),
    secret('s3', { accessKey: 'access', secretKey: 's3-secret' }),
  ]);
}

function isWanted(object: object): boolean {
  const { metadata } = Object(object);
  return ['postgresql', 's3'].includes(String(Object(metadata).name));
}

function secret(name: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
}

function documentsIn(file: string): readonly KubernetesObject[] {
  const text = readFileSync(join(example, 'manifests', file), 'utf8');
  return parseAllDocuments(text).map((document): KubernetesObject => document.toJS());
}

async function imagesIn(folder: string): Promise<Readonly<Record<string, Image>>> {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const server = await s3ServerAsset(process.env);
  try {
    linkSync(server, join(programs, basename(server)));
  } catch {
    copyFileSync(server, join(programs, basename(server)));
  }
  // initdb looks up the name of its user.
  writeFileSync(
    join(folder, 'passwd'),
    `${readFileSync('/etc/passwd', 'utf8')}hooklet:x:65532:65532::/nonexistent:/usr/sbin/nologin\n`,
    { mode: 0o644 },
  );
  const files = { '/etc/passwd': join(folder, 'passwd') };
  const engines = { '/hooks': join(root, 'solutions/backup/hooks'), '/job': join(example, 'job') };
  return {
    database: { programs: [programs], files },
    [IMAGE]: { programs: [programs], files: { ...files, ...engines } },
  };
}

async function kubectlIn(plane: SharedControlPlane, folder: string): Promise<BackupRig['kubectl']> {
  const program = await kubectlAsset(process.env);
  writeFileSync(join(folder, 'kubeconfig'), plane.kubeconfig('admin'), { mode: 0o600 });
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
  return async (...args) => (await promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
}
