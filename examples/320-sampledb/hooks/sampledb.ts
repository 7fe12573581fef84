// Runs PostgreSQL for each SampleDB: its volume, its configuration, its backups, its upgrades, and a last snapshot.
import {
  reconcile,
  type ConditionToSet,
  type KubernetesObject,
  type ReconcileAnswer,
  type ReconcileRun,
} from 'hooklet';
import { backedUp, lastBackupOf } from './lib/backed-up.ts';
import { BACKUPS_FILTER, BACKUPS_FOR, type BackupsClaim, backupsIn } from './lib/backups-claim.ts';
import { farewell } from './lib/farewell.ts';
import { backingUp, founded } from './lib/founded.ts';
import { health, POD_FILTER, type PodSeen } from './lib/health.ts';
import { backupCronJobs, configureJob } from './lib/jobs.ts';
import { backupVolume, configuration, dataVolume, server } from './lib/parts.ts';
import { backupsOf, NAME_LABEL, PART_LABEL } from './lib/pod.ts';
import { compare, heldSize, sizesOf, refusedSpace, spaceCondition, spaceOf } from './lib/space.ts';
import { problemsOf, type SampleDB } from './lib/spec.ts';
import { classOf, heldBackups, statusOf, versionOf } from './lib/status.ts';
import { told } from './lib/told.ts';
import { upgrade } from './lib/upgrade.ts';

interface Watched {
  readonly backups: BackupsClaim;
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
      // Also one of somebody else, which nothing may mount.
      { name: 'backups', ...CLAIM, for: BACKUPS_FOR, jqFilter: BACKUPS_FILTER },
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
  const problem = problemWith(object, { volume, backups });
  if (problem !== undefined) {
    // The webhook has to know what a StorageClass can be set back to.
    const status = { storageClassName: classOf(volume) ?? null };
    return { ...told(object, [{ type: 'Ready', status: 'False', ...problem }]), status };
  }
  if (backups === undefined) patch.createIfNotExists(backupVolume(object));
  return serve(run, volume);
}

function end({ object, owned, watched, patch }: Run): ReconcileAnswer {
  const backups = backupsIn(watched.backups);
  const [volume] = owned['PersistentVolumeClaim'] ?? [];
  const isSnapshotDue = volume !== undefined && object.spec.onDelete !== 'Discard';
  if (isSnapshotDue && backups === 'absent') patch.createIfNotExists(backupVolume(object));
  return farewell(object, owned, {
    held: versionOf(volume) ?? object.spec.version,
    backups,
    healthy: health(watched.pods, object.spec.secretName),
  });
}

interface There {
  readonly volume: KubernetesObject | undefined;
  readonly backups: BackupsClaim | undefined;
}

function problemWith(object: SampleDB, { volume, backups }: There) {
  const held = {
    version: versionOf(volume),
    size: heldSize(volume && sizesOf(volume)),
    backupSize: heldBackups(backups),
    // Who asks for none has that of the cluster.
    storageClassName: object.spec.storage.storageClassName === undefined ? undefined : classOf(volume),
  };
  const problems = problemsOf(object, held);
  if (problems.length > 0) return { reason: 'SpecRefused', message: problems.join('; ') };
  if (volume !== undefined || object.status?.version === undefined) return undefined;
  const text = `the volume ${object.metadata.name}-data is gone, and no empty database takes its place. The backups are in the volume ${backupsOf(object.metadata.name)}: delete this SampleDB, make it again, and restore one`;
  return { reason: 'DataGone', message: text };
}

function serve(run: Run, volume: KubernetesObject | undefined): ReconcileAnswer {
  const { object, owned, watched } = run;
  const backups = backupsIn(watched.backups);
  const serving = upgrade(object, {
    version: versionOf(volume) ?? object.spec.version,
    backups,
    jobs: owned['Job.batch'] ?? [],
    isReady: Object(owned['StatefulSet.apps']?.[0]?.['status'])['readyReplicas'] === 1,
    isStopped: isStopped(owned['StatefulSet.apps']?.[0], watched.pods),
  });
  const { version, replicas, jobs, upgraded } = serving;
  const last = lastBackupOf(owned['CronJob.batch'] ?? []);
  const { size } = object.spec.storage;
  const space = spaceOf(`${object.metadata.name}-data`, size, volume && sizesOf(volume));
  return {
    ...told(object, [
      upgraded,
      health(watched.pods, object.spec.secretName),
      backedUp(object, last, { jobs: watched.backupJobs, pods: watched.pods, backups }),
      spaceCondition('Space', size, space),
      askForBackups(run),
    ]),
    children: founded(owned, {
      base: [dataVolume(object, { version, size: space.request }), ...configuration(object)],
      server: server(object, version, replicas),
      afterServer: configureJob(object, version),
      others: [...backingUp(backups, owned, backupCronJobs(object, version)), ...jobs],
    }),
    status: statusOf(object, { volume, backups: watched.backups[0], last }),
  };
}

function isStopped(set: KubernetesObject | undefined, pods: readonly PodSeen[]): boolean {
  const [spec, status] = [Object(set?.['spec']), Object(set?.['status'])];
  const isSeen = set !== undefined && status['observedGeneration'] === set.metadata.generation;
  const isNone = spec['replicas'] === 0 && (status['replicas'] ?? 0) === 0;
  return isSeen && isNone && pods.every(({ part, isOver }) => part !== 'database' || isOver);
}

// A patch that is refused fails the whole run: the next attempt goes without it, and says so.
function askForBackups({ object, watched, attempt, patch }: Run): ConditionToSet {
  const type = 'BackupSpace';
  const { size } = object.spec.backup;
  const wanted = backupVolume(object);
  const { name = '' } = wanted.metadata;
  const [claim] = watched.backups;
  if (claim?.isOurs !== true) return { type, status: 'Unknown', reason: 'NoVolume', message: `${name} is not there` };
  const space = spaceOf(name, size, claim);
  if (compare(space.request, claim.request) === 0) return spaceCondition(type, size, space);
  if (attempt === 1) {
    // With the uid, another claim of this name is not changed.
    patch.merge(wanted, { metadata: { uid: claim.uid }, spec: { resources: { requests: { storage: size } } } });
    return spaceCondition(type, size, space);
  }
  return spaceCondition(type, size, refusedSpace(name, size, claim));
}
