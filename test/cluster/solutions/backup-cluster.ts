import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import { type ExecResult, type Image, type Kubelet, type PodName, startKubelet } from '@hooklet/test-kubelet';
import { controlPlaneAssets, etcdToolAssets, kubectlAsset, s3ServerAsset } from '../assets.ts';
import { connectAs } from '../operator-rig.ts';
import type { SharedControlPlane } from '../shared-control-plane.ts';
import { NOT_NOW } from './backup-crontab.ts';
import { DATABASES } from './backup-databases.ts';
import { buildProgram } from './built-program.ts';
import { eventually } from './eventually.ts';
import { linkOrCopy } from '../../support/link-or-copy.ts';

const solution = fileURLToPath(new URL('../../../solutions/backup', import.meta.url));
const USERS = { hooklet: 65_532, scratch: 65_533 };

/** The image of another version of the solution, whose hooks are other files. */
export const OTHER_VERSION = 'registry.example.com/scheduled-backup:other';

/** An installation of the solution: which database is backed up, and to which target. */
export const INSTALLS = ['postgresql-to-s3', 'redis-to-volume', 'etcd-to-s3'] as const;
export type Database = 'postgresql' | 'redis' | 'etcd';

/** A namespace with three running databases and an S3 server, and the solution installed next to them. */
export interface BackupCluster extends AsyncDisposable {
  readonly namespace: string;
  readonly kubelet: Kubelet;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  /** The items of `kubectl get`. */
  readonly list: <T>(resource: string, ...args: readonly string[]) => Promise<readonly T[]>;
  /** Runs a script with bash in the pod of a StatefulSet. */
  readonly inDatabase: (name: string, script: string) => Promise<string>;
  /** The Pods of the operator of a database, except those that are terminating. */
  readonly podsOf: (database: Database) => Promise<readonly V1Pod[]>;
  /** Runs a command in a ready Pod of a database's operator; waits until there is one. */
  readonly inBackup: (database: Database, ...command: readonly string[]) => Promise<ExecResult>;
  /** Does what `kubectl exec` with these arguments does; standard input is what a user would type. */
  readonly kubectlExec: (words: readonly string[], typed?: string) => Promise<ExecResult>;
  /** The logs of the Pods of a database's operator. */
  readonly logOf: (database: Database) => Promise<string>;
  /** Sets environment variables of the operator's container, which rolls its Pods. */
  readonly setEnv: (database: Database, env: Readonly<Record<string, string | null>>) => Promise<void>;
}

/** Installs everything, and does not wait for it. */
export async function startBackupCluster(plane: SharedControlPlane): Promise<BackupCluster> {
  const namespace = `backup-${crypto.randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-backup-'));
  const program = await buildProgram();
  const kubelet = await startKubelet({
    plane,
    connect: connectAs(plane, 'admin'),
    namespaces: [namespace],
    images: await images(folder, program.folder),
  });
  writeFileSync(join(folder, 'kubeconfig'), plane.kubeconfig('admin'), { mode: 0o600 });
  const kubectl = await kubectlIn(folder, namespace);
  await kubectl('create', 'namespace', namespace);
  writeFileSync(join(folder, 'databases.yaml'), DATABASES.map((object) => stringify(object)).join('---\n'));
  await kubectl('apply', '-f', join(folder, 'databases.yaml'));
  mkdirSync(join(folder, 'install'));
  writeFileSync(join(folder, 'install', 'kustomization.yaml'), kustomization(join(folder, 'install'), namespace));
  await kubectl('apply', '-k', join(folder, 'install'));
  return {
    ...handsOf({ namespace, kubelet, kubectl }),
    async [Symbol.asyncDispose]() {
      await kubelet[Symbol.asyncDispose]();
      await kubectl('delete', 'namespace', namespace, '--wait=false');
      program[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Parts = Pick<BackupCluster, 'namespace' | 'kubelet' | 'kubectl'>;

function handsOf({ namespace, kubelet, kubectl }: Parts): Omit<BackupCluster, keyof AsyncDisposable> {
  const list = async <T>(resource: string, ...args: readonly string[]): Promise<readonly T[]> =>
    (JSON.parse(await kubectl('get', resource, '-o', 'json', ...args)) as { readonly items: readonly T[] }).items;
  const podsOf = async (database: Database): Promise<readonly V1Pod[]> =>
    (await list<V1Pod>('pods', '-l', selectorOf(database))).filter(
      ({ metadata }) => metadata?.deletionTimestamp === undefined,
    );
  const podWith = async (selector: string, isGood: (pod: V1Pod) => boolean): Promise<PodName> =>
    eventually(async () => {
      const pod = (await list<V1Pod>('pods', '-l', selector)).find(isGood);
      if (pod === undefined) throw new Error(`there is no Pod with ${selector} that ${isGood.name}`);
      return { namespace, name: pod.metadata?.name ?? '' };
    });
  return {
    namespace,
    kubelet,
    kubectl,
    list,
    podsOf,
    inBackup: async (database, ...command) => kubelet.exec(await podWith(selectorOf(database), isReady), command),
    kubectlExec: async (words, stdin = '') => {
      const { workload, command } = execArguments(words);
      const { spec } = JSON.parse(await kubectl('get', workload, '-o', 'json')) as V1Deployment;
      const labels = Object.entries(spec?.selector.matchLabels ?? {}).map(([name, value]) => `${name}=${value}`);
      return kubelet.exec(await podWith(labels.join(','), isRunning), command, { stdin });
    },
    logOf: async (database) => {
      const pods = await podsOf(database);
      const logs = pods.map(async ({ metadata }) => kubelet.logs({ namespace, name: metadata?.name ?? '' }));
      return (await Promise.all(logs)).join('\n');
    },
    inDatabase: async (name, script) => {
      const done = await kubelet.exec({ namespace, name: `${name}-0` }, ['bash', '-c', script]);
      if (done.exitCode !== 0) throw new Error(`${name}: ${script}: ${done.stderr}`);
      return done.stdout.trim();
    },
    setEnv: async (database, env) => {
      const words = Object.entries(env).map(([name, value]) => (value === null ? `${name}-` : `${name}=${value}`));
      await kubectl('set', 'env', `deployment/backup-${database}`, ...words);
    },
  };
}

function selectorOf(database: Database): string {
  return `app.kubernetes.io/instance=backup-${database}`;
}

function isReady(pod: V1Pod): boolean {
  const isWell = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  return isWell && isRunning(pod);
}

function isRunning({ metadata, status }: V1Pod): boolean {
  const [container] = status?.containerStatuses ?? [];
  return container?.state?.running !== undefined && metadata?.deletionTimestamp === undefined;
}

function execArguments(words: readonly string[]): {
  readonly workload: string;
  readonly command: readonly string[];
} {
  const end = words.indexOf('--');
  const [verb, ...options] = words.slice(0, end);
  const workload = options.at(-1);
  const isKnown = verb === 'exec' && options.slice(0, -1).every((flag) => flag === '-it');
  if (end === -1 || workload === undefined || !isKnown) throw new Error(`nobody does kubectl ${words.join(' ')} here`);
  return { workload, command: words.slice(end + 1) };
}

async function kubectlIn(folder: string, namespace: string): Promise<BackupCluster['kubectl']> {
  const program = await kubectlAsset(process.env);
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
  return async (...args) => {
    const words = ['--namespace', namespace, ...args];
    return (await promisify(execFile)(program, words, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  };
}

/** The image of the Dockerfile of the solution, with the servers that the databases need, and that of another version. */
async function images(folder: string, program: string): Promise<Readonly<Record<string, Image>>> {
  // In a folder that only root may enter, so that the kubelet mounts it elsewhere: volumes hide what is below /tmp.
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const { etcd } = await controlPlaneAssets(process.env);
  const { etcdctl, etcdutl } = await etcdToolAssets(process.env);
  for (const path of [etcd, etcdctl, etcdutl, await s3ServerAsset(process.env), process.execPath]) {
    linkOrCopy(path, join(programs, basename(path)));
  }
  writeFileSync(join(programs, 'hooklet'), '#!/bin/sh\nexec node /opt/hooklet/dist/main.js "$@"\n', { mode: 0o755 });
  // initdb looks up the name of its user.
  const lines = Object.entries(USERS).map(([name, id]) => `${name}:x:${id}:${id}::/nonexistent:/usr/sbin/nologin\n`);
  writeFileSync(join(folder, 'passwd'), readFileSync('/etc/passwd', 'utf8') + lines.join(''), { mode: 0o644 });
  const files = { '/etc/passwd': join(folder, 'passwd') };
  const image = {
    programs: [programs],
    entrypoint: ['hooklet', 'start'],
    env: { LOG_TYPE: 'json' },
    files: {
      ...files,
      '/hooks': join(solution, 'hooks'),
      '/restore': join(solution, 'restore'),
      '/opt/hooklet': program,
    },
  };
  return {
    database: { programs: [programs], files },
    'registry.example.com/scheduled-backup:1.0.0': image,
    [OTHER_VERSION]: { ...image, files: { ...image.files, '/hooks': otherHooks(folder) } },
  };
}

function otherHooks(folder: string): string {
  const hooks = join(folder, 'hooks');
  cpSync(join(solution, 'hooks'), hooks, { recursive: true });
  for (const database of ['postgresql', 'redis', 'etcd']) {
    appendFileSync(join(hooks, database, 'backup.sh'), '# Of another version.\n');
  }
  return hooks;
}

/** Installs all three databases as a user might, with short intervals. */
function kustomization(folder: string, namespace: string): string {
  const settings = {
    BACKUP_CRONTAB: NOT_NOW,
    BACKUP_RETRY_INTERVAL: '1s',
    BACKUP_KEEP: '1',
    S3_ENDPOINT: 'http://s3:7070',
    ETCDCTL_ENDPOINTS: 'http://etcd-0.etcd:2379',
    RCLONE_RETRIES: '1',
    RCLONE_LOW_LEVEL_RETRIES: '1',
  };
  const env = Object.entries(settings).map(([name, value]) => ({ name, value }));
  const container = {
    name: 'hooklet',
    env,
    readinessProbe: { periodSeconds: 1 },
    livenessProbe: { timeoutSeconds: 30 },
  };
  return stringify({
    namespace,
    resources: INSTALLS.map((name) => relative(folder, join(solution, 'manifests', name))),
    patches: [
      {
        target: { kind: 'Deployment' },
        patch: stringify({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'any' },
          spec: { template: { spec: { terminationGracePeriodSeconds: 5, containers: [container] } } },
        }),
      },
    ],
  });
}
