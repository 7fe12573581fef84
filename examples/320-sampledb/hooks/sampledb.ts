// Runs PostgreSQL for each SampleDB: its volume, its configuration, its backups, its upgrades, and a last snapshot.
import {
  reconcile,
  type ConditionToSet,
  type KubernetesObject,
  type ReconcileAnswer,
  type ReconcileRun,
} from 'hooklet';
import { backedUp, lastBackupOf } from './lib/backed-up.ts';
import { farewell } from './lib/farewell.ts';
import { health, POD_FILTER, type PodSeen } from './lib/health.ts';
import { backupCronJobs, configureJob } from './lib/jobs.ts';
import { backupVolume, configuration, dataVolume, server } from './lib/parts.ts';
import { backupsOf, NAME_LABEL, PART_LABEL, VERSION } from './lib/pod.ts';
import { bytesOf } from './lib/quantity.ts';
import { problemsOf, requestOf, type SampleDB } from './lib/spec.ts';
import { told } from './lib/told.ts';
import { upgrade } from './lib/upgrade.ts';

interface Watched {
  readonly backups: KubernetesObject;
  readonly backupJobs: KubernetesObject;
  readonly pods: PodSeen;
}

type Run = ReconcileRun<SampleDB, Watched>;

const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
const JOB = { apiVersion: 'batch/v1', kind: 'Job' };
const PARENT = `.metadata.labels["${NAME_LABEL}"]`;
const ofPart = (part: string) => ({ labelSelector: { matchLabels: { [PART_LABEL]: part } }, for: PARENT });
const PODS = { matchExpressions: [{ key: PART_LABEL, operator: 'Exists' }] };

export default reconcile<SampleDB, Watched>(
  {
    name: 'sampledbs',
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'SampleDB',
    finalize: true,
    owns: [
      CLAIM,
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'Service' },
      { apiVersion: 'apps/v1', kind: 'StatefulSet' },
      { apiVersion: 'batch/v1', kind: 'CronJob' },
      { ...JOB, onChange: 'Recreate' },
    ],
    watches: [
      { name: 'backups', ...CLAIM, ...ofPart('backups') },
      { name: 'backupJobs', ...JOB, ...ofPart('backup') },
      { name: 'pods', apiVersion: 'v1', kind: 'Pod', labelSelector: PODS, for: PARENT, jqFilter: POD_FILTER },
    ],
  },
  (run) => (run.finalizing ? end(run) : live(run)),
);

function live(run: Run): ReconcileAnswer {
  const { object, owned, watched, patch } = run;
  const [volume] = owned['PersistentVolumeClaim'] ?? [];
  const [backups] = watched.backups;
  const held = volume?.metadata.annotations?.[VERSION];
  const problem = problemWith(object, { volume, held, backups });
  if (problem !== undefined) return told(object, [{ type: 'Ready', status: 'False', ...problem }]);
  if (backups === undefined) patch.createIfNotExists(backupVolume(object));
  return serve(run, held);
}

function end({ object, owned, watched, patch }: Run): ReconcileAnswer {
  const [volume] = owned['PersistentVolumeClaim'] ?? [];
  const isSnapshotDue = volume !== undefined && object.spec.onDelete !== 'Discard';
  if (isSnapshotDue && watched.backups.length === 0) patch.createIfNotExists(backupVolume(object));
  return farewell(object, owned, volume?.metadata.annotations?.[VERSION] ?? object.spec.version);
}

interface There {
  readonly volume: KubernetesObject | undefined;
  readonly held: string | undefined;
  readonly backups: KubernetesObject | undefined;
}

function problemWith(object: SampleDB, { volume, held, backups }: There) {
  const size = volume && requestOf(volume);
  const problems = problemsOf(object, { version: held, size, backupSize: backups && requestOf(backups) });
  if (problems.length > 0) return { reason: 'SpecRefused', message: problems.join('; ') };
  if (volume !== undefined || object.status?.version === undefined) return undefined;
  const text = `the volume ${object.metadata.name}-data is gone, and no empty database takes its place. The backups are in the volume ${backupsOf(object.metadata.name)}: delete this SampleDB, make it again, and restore one`;
  return { reason: 'DataGone', message: text };
}

function serve(run: Run, held: string | undefined): ReconcileAnswer {
  const { object, owned, watched } = run;
  const serving = upgrade(object, {
    version: held ?? object.spec.version,
    jobs: owned['Job.batch'] ?? [],
    isReady: Object(owned['StatefulSet.apps']?.[0]?.['status'])['readyReplicas'] === 1,
    isStopped: isStopped(owned['StatefulSet.apps']?.[0], watched.pods),
  });
  const { version, replicas, jobs, upgraded } = serving;
  const last = lastBackupOf(owned['CronJob.batch'] ?? []);
  return {
    ...told(object, [
      upgraded,
      health(watched.pods, object.spec.secretName),
      backedUp(object, last, { jobs: watched.backupJobs, pods: watched.pods }),
      growBackups(run),
    ]),
    children: [
      dataVolume(object, version),
      ...configuration(object),
      server(object, version, replicas),
      { object: configureJob(object, version), after: [`StatefulSet/${object.metadata.name}`] },
      ...backupCronJobs(object, version),
      ...jobs,
    ],
    status: statusOf(run, held, last),
  };
}

function statusOf({ object, owned, watched }: Run, held: string | undefined, last: string | undefined) {
  const [[volume], [backups]] = [owned['PersistentVolumeClaim'] ?? [], watched.backups];
  const { name, namespace = '' } = object.metadata;
  return {
    version: held ?? null,
    size: volume === undefined ? null : requestOf(volume),
    backupSize: backups === undefined ? null : requestOf(backups),
    endpoint: `${name}.${namespace}.svc:5432`,
    onDelete: object.spec.onDelete,
    lastBackup: last ?? null,
  };
}

function isStopped(set: KubernetesObject | undefined, pods: readonly PodSeen[]): boolean {
  const [spec, status] = [Object(set?.['spec']), Object(set?.['status'])];
  const isSeen = set !== undefined && status['observedGeneration'] === set.metadata.generation;
  const isNone = spec['replicas'] === 0 && (status['replicas'] ?? 0) === 0;
  return isSeen && isNone && pods.every(({ part, isOver }) => part !== 'database' || isOver);
}

function sizeOf(claim: object): number {
  return bytesOf(requestOf(claim) ?? '') ?? 0;
}

// A patch that is refused fails the whole run: the next attempt goes without it, and says so.
function growBackups({ object, watched, attempt, patch }: Run): ConditionToSet {
  const wanted = backupVolume(object);
  const size = object.spec.backup.size;
  const isSmall = watched.backups.some((claim) => sizeOf(claim) < sizeOf(wanted));
  if (isSmall && attempt === 1) patch.merge(wanted, { spec: { resources: { requests: { storage: size } } } });
  if (!isSmall || attempt === 1) return { type: 'BackupSpace', status: 'True', reason: 'AsWanted', message: size };
  const text = `the volume ${wanted.metadata.name ?? ''} does not grow to ${size}: allow expansion in its StorageClass, or set spec.backup.size back`;
  return { type: 'BackupSpace', status: 'False', reason: 'GrowthRefused', message: text };
}
