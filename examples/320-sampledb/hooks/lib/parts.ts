import { readFileSync } from 'node:fs';
import type { NewObject } from 'hooklet';
import { majorOf, type SampleDB } from './spec.ts';

/** The labels by which Pods, Jobs and volumes of a SampleDB are found. */
export const NAME_LABEL = 'sampledb.hooklet.dev/name';
export const PART_LABEL = 'sampledb.hooklet.dev/part';
/** The annotation of the volume that says which version its data is of. */
export const VERSION = 'sampledb.hooklet.dev/version';
/** How the volume of a SampleDB with backups is called, which stays when that is deleted. */
export const backupsOf = (name: string): string => `${name}-backups`;

const SCRIPTS = ['common.sh', 'pg_hba.conf', 'start.sh', 'configure.sh', 'dump.sh', 'export.sh', 'import.sh'];
const USER = 999;
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
const POD = {
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
};
const TMP = { name: 'tmp', emptyDir: {} };
const MOUNTS = [
  { name: 'tmp', mountPath: '/tmp' },
  { name: 'scripts', mountPath: '/scripts', readOnly: true },
];

const labelsOf = (name: string, part: string): Readonly<Record<string, string>> => ({
  [NAME_LABEL]: name,
  [PART_LABEL]: part,
});
const claim = (name: string, claimName: string) => ({ name, persistentVolumeClaim: { claimName } });
const scriptsOf = (name: string) => ({ name: 'scripts', configMap: { name: `${name}-scripts` } });
const imageOf = (version: string): string => `postgres:${version}`;

function storage(name: string, db: SampleDB, { part, size }: { readonly part: string; readonly size: string }) {
  const { storageClassName } = db.spec.storage;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: db.metadata.namespace ?? '', labels: labelsOf(db.metadata.name, part) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  };
}

/** The volume of the data, with the version that the data is of. */
export function dataVolume(db: SampleDB, version: string): NewObject {
  const { metadata, ...volume } = storage(`${db.metadata.name}-data`, db, { part: 'data', size: db.spec.storage.size });
  return { ...volume, metadata: { ...metadata, annotations: { [VERSION]: version } } };
}

/** The volume of the backups, which has no owner: it stays when the SampleDB is deleted. */
export function backupVolume(db: SampleDB): NewObject {
  return storage(backupsOf(db.metadata.name), db, { part: 'backups', size: db.spec.backup.size });
}

/** How Pods reach the database, and what runs in the Pods of the operator. */
export function configuration({ metadata: { name }, spec }: SampleDB): readonly NewObject[] {
  const connection = { PGHOST: name, PGPORT: '5432', PGDATABASE: spec.database, PGUSER: spec.database };
  const files = SCRIPTS.map((file) => [file, readFileSync(new URL(`scripts/${file}`, import.meta.url), 'utf8')]);
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-connection` }, data: connection },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-scripts` }, data: Object.fromEntries(files) },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labelsOf(name, 'database'), ports: [{ name: 'postgresql', port: 5432 }] },
    },
  ];
}

/** The server, in one version. */
export function server(db: SampleDB, version: string, replicas: 0 | 1): NewObject {
  const { name } = db.metadata;
  const labels = labelsOf(name, 'database');
  // 2 is the answer of a server that is not there; 1 is that of one that recovers, which no restart makes faster.
  const answers = { exec: { command: ['bash', '-c', 'pg_isready -q -h /tmp; [ $? -ne 2 ]'] }, timeoutSeconds: 10 };
  const container = {
    ...containerOf(db, 'postgresql', { version, script: 'start.sh', args: settingsOf(db) }),
    env: [{ name: 'MAJOR', value: String(majorOf(version)) }, password(db, 'ADMIN_PASSWORD', 'adminPassword')],
    ports: [{ name: 'postgresql', containerPort: 5432 }],
    volumeMounts: [...MOUNTS, { name: 'data', mountPath: '/volume' }],
    startupProbe: { ...answers, periodSeconds: 2, failureThreshold: 300 },
    livenessProbe: { ...answers, periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { exec: { command: ['pg_isready', '-q', '-h', '/tmp'] }, periodSeconds: 5, timeoutSeconds: 10 },
  };
  const volumes = [TMP, scriptsOf(name), claim('data', `${name}-data`)];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      replicas,
      serviceName: name,
      // With OrderedReady a Pod that cannot start is never replaced, also when its template has been mended.
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...POD, containers: [container], volumes } },
    },
  };
}

function settingsOf({ spec: { settings = {} } }: SampleDB): readonly string[] {
  const names = Object.keys(settings).toSorted();
  return names.flatMap((name) => ['-c', `${name}=${settings[name] ?? ''}`]);
}

interface Work {
  readonly version: string;
  readonly script: string;
  readonly args?: readonly string[];
}

function containerOf({ spec: { resources } }: SampleDB, name: string, { version, script, args = [] }: Work) {
  const { cpu, memory } = resources ?? {};
  return {
    name,
    image: imageOf(version),
    command: ['bash', `/scripts/${script}`],
    args,
    securityContext: RESTRICTED,
    // The last lines of the log are shown in the status of the SampleDB.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    resources: {
      requests: { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) },
      limits: { ...(memory !== undefined && { memory }) },
    },
  };
}

function password({ spec: { secretName } }: SampleDB, variable: string, key: string) {
  return { name: variable, valueFrom: { secretKeyRef: { name: secretName, key } } };
}

function jobSpec(db: SampleDB, part: string, spec: Readonly<Record<string, unknown>>) {
  return {
    backoffLimit: 3,
    activeDeadlineSeconds: db.spec.jobTimeoutSeconds,
    template: {
      metadata: { labels: labelsOf(db.metadata.name, part) },
      spec: { ...POD, restartPolicy: 'Never', ...spec },
    },
  };
}

function job(db: SampleDB, name: string, spec: object): NewObject {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: `${db.metadata.name}-${name}` }, spec };
}

/** Makes the role, the database and its extensions. */
export function configureJob(db: SampleDB, version: string): NewObject {
  const { name } = db.metadata;
  const { database, extensions = [] } = db.spec;
  const container = {
    ...containerOf(db, 'configure', { version, script: 'configure.sh' }),
    envFrom: [{ configMapRef: { name: `${name}-connection` } }],
    env: [
      { name: 'DATABASE', value: database },
      { name: 'EXTENSIONS', value: extensions.join(' ') },
      password(db, 'ADMIN_PASSWORD', 'adminPassword'),
      password(db, 'PASSWORD', 'password'),
    ],
    volumeMounts: MOUNTS,
  };
  return job(db, 'configure', jobSpec(db, 'configure', { containers: [container], volumes: [TMP, scriptsOf(name)] }));
}

function dump(db: SampleDB, part: string, version: string) {
  const { name, uid } = db.metadata;
  const container = {
    ...containerOf(db, part, { version, script: 'dump.sh' }),
    envFrom: [{ configMapRef: { name: `${name}-connection` } }],
    env: [
      { name: 'FOLDER', value: `${name}-${uid}` },
      { name: 'REASON', value: part },
      { name: 'KEEP', value: String(db.spec.backup.keep) },
      password(db, 'ADMIN_PASSWORD', 'adminPassword'),
    ],
    volumeMounts: [...MOUNTS, { name: 'backups', mountPath: '/backups' }],
  };
  const volumes = [TMP, scriptsOf(name), claim('backups', backupsOf(name))];
  return jobSpec(db, part, { containers: [container], volumes });
}

/** Takes the last backup, before the SampleDB goes. */
export function snapshotJob(db: SampleDB, version: string): NewObject {
  return job(db, 'snapshot', dump(db, 'snapshot', version));
}

/** Takes backups at the times of the schedule; none without one. */
export function backups(db: SampleDB, version: string): readonly NewObject[] {
  const { schedule, suspend } = db.spec.backup;
  const { name } = db.metadata;
  if (schedule === undefined) return [];
  const metadata = { labels: labelsOf(name, 'backup') };
  const spec = {
    schedule,
    suspend,
    // One that hangs holds back the next until its time is over, and ticks that were missed are made up for by one.
    concurrencyPolicy: 'Forbid',
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 1,
    jobTemplate: { metadata, spec: dump(db, 'backup', version) },
  };
  return [{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: `${name}-backup` }, spec }];
}

/** Takes a backup with the version to come, which also shows that its image is there and runs. */
export function backupBefore(db: SampleDB): NewObject {
  return job(db, `to-${wordOf(db.spec.version)}-backup`, dump(db, 'upgrade', db.spec.version));
}

/** Moves the data to another major version, while no server runs. */
export function migrateJob(db: SampleDB, held: string): NewObject {
  const { name } = db.metadata;
  const { version } = db.spec;
  const common = {
    env: [
      { name: 'FROM', value: String(majorOf(held)) },
      { name: 'TO', value: String(majorOf(version)) },
      password(db, 'ADMIN_PASSWORD', 'adminPassword'),
    ],
    volumeMounts: [...MOUNTS, { name: 'data', mountPath: '/volume' }],
  };
  const args = settingsOf(db);
  const spec = {
    initContainers: [{ ...containerOf(db, 'export', { version: held, script: 'export.sh', args }), ...common }],
    containers: [{ ...containerOf(db, 'import', { version, script: 'import.sh', args }), ...common }],
    volumes: [TMP, scriptsOf(name), claim('data', `${name}-data`)],
  };
  return job(db, `to-${wordOf(version)}-migrate`, jobSpec(db, 'migrate', spec));
}

function wordOf(version: string): string {
  return version.replace('.', '-');
}
