import type { NewObject } from 'hooklet';
import { backupsOf, claim, containerOf, labelsOf, MOUNTS, password, POD, scriptsOf, settingsOf, TMP } from './pod.ts';
import { majorOf, type SampleDB } from './spec.ts';

function jobSpec(db: SampleDB, part: string, spec: Readonly<Record<string, unknown>>) {
  return {
    backoffLimit: 2,
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
export function backupCronJobs(db: SampleDB, version: string): readonly NewObject[] {
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
  // One attempt: nothing serves meanwhile.
  return job(db, `to-${wordOf(version)}-migrate`, { ...jobSpec(db, 'migrate', spec), backoffLimit: 0 });
}

function wordOf(version: string): string {
  return version.replace('.', '-');
}
