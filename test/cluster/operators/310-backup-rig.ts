import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { KubernetesObject } from 'hooklet';
import type { Image } from '@hooklet/test-kubelet';
import { installs, type Installed } from '../../operators/kit/installs.ts';
import { operatorParts, type OperatorParts } from '../../operators/kit/operator-image.ts';
import { examplesDir } from '../../support/example-rig.ts';
import { controlPlaneAssets, etcdToolAssets, s3ServerAsset } from '../assets.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import { DATABASES } from '../solutions/backup-databases.ts';
import { eventually } from '../solutions/eventually.ts';

const example = join(examplesDir, '310-backup');
const IMAGE = 'registry.example.com/backup-operator:1';
const SERVERS = ['postgresql', 'redis', 'etcd', 's3'];
const LIMIT_MS = 300_000;
/** An S3 server on a file system of a few MiB. */
const SMALL = DATABASES.filter((object) => nameOf(object) === 's3').map((object): object =>
  JSON.parse(JSON.stringify(object).replaceAll('"s3"', '"small-s3"').replace('128Mi', '4Mi')),
);
export const OPERATOR = { namespace: 'example-backup', name: 'backup' };

/** What a test looks at in a status. */
export type Status = Readonly<Record<string, unknown>>;

/** The operator of the example, installed by one apply, beside PostgreSQL, Redis, etcd and an S3 server, all in Pods. */
export interface BackupRig extends Installed {
  /** Where Backups and their Jobs are; Pod Security enforces `restricted` there. */
  readonly backups: string;
  /** The host of a server as the Jobs see it. */
  readonly host: (server: string) => string;
  /** kubectl in the namespace of the Backups. */
  readonly there: (...args: readonly string[]) => Promise<string>;
  readonly make: (...objects: readonly object[]) => Promise<string>;
  /** The same in another namespace. */
  readonly makeIn: (namespace: string, ...objects: readonly object[]) => Promise<string>;
  readonly find: (resource: string, name: string) => Promise<KubernetesObject | undefined>;
  readonly list: (resource: string, ...args: readonly string[]) => Promise<readonly KubernetesObject[]>;
  /** Waits until the status of a Backup is as wanted. */
  readonly told: (name: string, wanted: (status: Status) => void) => Promise<void>;
  /** Makes a Job as the CronJob would at its tick. */
  readonly run: (cronJob: string, job: string) => Promise<void>;
  /** The files of a folder in the bucket `backups` of `s3`, or another one such as `small-s3:backups`. */
  readonly bucket: (folder: string, where?: string) => Promise<readonly string[]>;
  /** Runs a script in the Pod of a server. */
  readonly inServer: (name: string, script: string) => Promise<string>;
  readonly sql: (text: string, database?: string) => Promise<string>;
}

/** Installs and starts all; the operator and the servers are ready on return. */
export async function startBackupRig(plane: SharedControlPlane): Promise<BackupRig> {
  await using ends = new AsyncDisposableStack();
  const parts = ends.use(await operatorParts());
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-backups-'));
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  const backups = `backups-${crypto.randomUUID().slice(0, 8)}`;
  const servers = `${backups}-servers`;
  const installed = ends.use(
    await installs({
      plane,
      manifests: join(example, 'manifests'),
      ...OPERATOR,
      namespaces: [backups, servers],
      images: await imagesIn(folder, parts),
      leftovers: ['validatingwebhookconfiguration/example-backup-hooks'],
    }),
  );
  const { kubectl } = installed;
  const applyIn: ApplyIn = async (namespace, ...items) => {
    const file = join(folder, `${crypto.randomUUID()}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return kubectl('--namespace', namespace, 'apply', '-f', file);
  };
  await applyIn('default', ...namespaces(backups, servers));
  await applyIn(servers, ...DATABASES.filter(isServer), ...SMALL);
  await applyIn(backups, ...secrets());
  const own = ownParts(installed, { backups, servers, applyIn });
  ends.defer(async () => {
    const release = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    for (const { metadata } of await own.list('backups')) {
      await own.there('patch', `backups/${metadata.name}`, ...release);
    }
    await kubectl('delete', 'namespace', backups, servers, '--wait=false');
  });
  await kubectl('wait', '--for', 'condition=Available', '--timeout=180s', 'deployment/backup');
  await eventually(async () => own.sql('select 1', 'postgres'), LIMIT_MS);
  await eventually(
    async () => own.inServer('redis', 'REDISCLI_AUTH=redis-secret redis-cli PING | grep PONG'),
    LIMIT_MS,
  );
  await own.sql("create role backup login password 'postgresql-secret'; grant pg_read_all_data to backup", 'postgres');
  await own.sql('create database app', 'postgres');
  await own.sql('create table notes as select n from generate_series(1, 1000) n');
  const rest = ends.move();
  return { ...installed, ...own, [Symbol.asyncDispose]: async () => rest.disposeAsync() };
}

type ApplyIn = (namespace: string, ...objects: readonly object[]) => Promise<string>;

interface Places {
  readonly backups: string;
  readonly servers: string;
  readonly applyIn: ApplyIn;
}

function ownParts({ kubectl, kubelet }: Installed, { backups, servers, applyIn }: Places) {
  const there: BackupRig['there'] = async (...args) => kubectl('--namespace', backups, ...args);
  const inServer: BackupRig['inServer'] = async (name, script) => {
    const done = await kubelet.exec({ namespace: servers, name: `${name}-0` }, ['bash', '-c', script]);
    if (done.exitCode !== 0) throw new Error(`${name}: ${script}: ${done.stderr}`);
    return done.stdout.trim();
  };
  const list: BackupRig['list'] = async (resource, ...args) => {
    const { items }: { items: readonly KubernetesObject[] } = JSON.parse(
      await there('get', resource, '-o', 'json', ...args),
    );
    return items;
  };
  const find: BackupRig['find'] = async (resource, name) =>
    (await list(resource)).find(({ metadata }) => metadata.name === name);
  const own: Omit<BackupRig, keyof Installed> = {
    backups,
    host: (server) => `${server}.${servers}.svc`,
    there,
    make: async (...objects) => applyIn(backups, ...objects),
    makeIn: applyIn,
    find,
    list,
    told: async (name, wanted) =>
      eventually(async () => wanted(Object((await find('backups', name))?.['status'])), LIMIT_MS),
    run: async (cronJob, job) => void (await there('create', 'job', `--from=cronjob/${cronJob}`, job)),
    bucket: async (path, where = 's3:backups') => {
      const [server = '', bucket = ''] = where.split(':');
      const found = await inServer(server, `cd /data/${bucket}/${path} 2> /dev/null || exit 0; find . -type f`);
      const files = found.split('\n').filter((line) => line !== '');
      return files.toSorted();
    },
    inServer,
    sql: async (text, database = 'app') =>
      inServer('postgresql', `psql -XAtq -h /tmp -U postgres -d ${database} -c "${text}"`),
  };
  return own;
}

function namespaces(backups: string, servers: string): readonly object[] {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const namespace = (metadata: object): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata });
  return [namespace({ name: servers }), namespace({ name: backups, labels })];
}

function isServer(object: object): boolean {
  return SERVERS.includes(nameOf(object));
}

function nameOf(object: object): string {
  return String(Object(Object(object).metadata).name);
}

function secrets(): readonly object[] {
  const all = {
    postgresql: { username: 'backup', password: 'postgresql-secret' },
    redis: { password: 'redis-secret' },
    s3: { accessKey: 'access', secretKey: 's3-secret' },
    'wrong-keys': { accessKey: 'access', secretKey: 'wrong' },
  };
  return Object.entries(all).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  }));
}

async function imagesIn(folder: string, parts: OperatorParts): Promise<Readonly<Record<string, Image>>> {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const { etcd } = await controlPlaneAssets(process.env);
  const { etcdctl, etcdutl } = await etcdToolAssets(process.env);
  for (const path of [etcd, etcdctl, etcdutl, await s3ServerAsset(process.env)]) {
    copyFileSync(path, join(programs, basename(path)));
  }
  // initdb looks up the name of its user.
  writeFileSync(
    join(folder, 'passwd'),
    `${readFileSync('/etc/passwd', 'utf8')}hooklet:x:65532:65532::/nonexistent:/usr/sbin/nologin\n`,
    { mode: 0o644 },
  );
  const passwd = { '/etc/passwd': join(folder, 'passwd') };
  const operator = parts.imageOf(join(dirname(examplesDir), 'solutions/backup/hooks'));
  const own = { '/operator': join(example, 'hooks'), '/job': join(example, 'job') };
  return {
    database: { programs: [programs], files: passwd },
    [IMAGE]: {
      ...operator,
      programs: [parts.programs, programs],
      env: { HOOKLET_HOOKS_DIR: '/operator', LOG_TYPE: 'json' },
      files: { ...operator.files, ...passwd, ...own },
    },
  };
}
