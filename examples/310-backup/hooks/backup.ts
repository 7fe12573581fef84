// Makes a CronJob of each Backup, reads from the Pods of its Jobs what became of them, and removes the backups with it.
import { reconcile, type ReconcileAnswer, type ReconcileRun } from 'hooklet';
import { conditionsOf } from './lib/conditions.ts';
import { whyNever } from './lib/crontab.ts';
import { eventsOf } from './lib/events.ts';
import { finalize } from './lib/finalize.ts';
import { cronJobs, IMAGE } from './lib/jobs.ts';
import { endLate } from './lib/late.ts';
import { JOB_FILTER, POD_FILTER, type SeenJob, type SeenPod } from './lib/seen.ts';
import { type Backup, BACKUP_LABEL, GROUP } from './lib/spec.ts';
import { standingOf, statusOf } from './lib/status.ts';

type Watched = { readonly jobs: SeenJob; readonly pods: SeenPod };

const ours = { matchExpressions: [{ key: BACKUP_LABEL, operator: 'Exists' }] };
const whose = `.metadata.labels["${BACKUP_LABEL}"]`;

export default reconcile<Backup, Watched>(
  {
    name: 'backups',
    apiVersion: `${GROUP}/v1`,
    kind: 'Backup',
    owns: [
      { apiVersion: 'batch/v1', kind: 'CronJob' },
      { apiVersion: 'batch/v1', kind: 'Job', onChange: 'Recreate' },
    ],
    watches: [
      { name: 'jobs', apiVersion: 'batch/v1', kind: 'Job', labelSelector: ours, for: whose, jqFilter: JOB_FILTER },
      { name: 'pods', apiVersion: 'v1', kind: 'Pod', labelSelector: ours, for: whose, jqFilter: POD_FILTER },
    ],
    finalize: true,
  },
  (run) => (run.finalizing ? finalize(run.object, aroundOf(run)) : work(run)),
);

function work({ object, watched: { jobs, pods }, patch }: ReconcileRun<Backup, Watched>): ReconcileAnswer {
  const { schedule, timeZone, drill } = object.spec;
  const schedules = drill === undefined ? [schedule] : [schedule, drill.schedule];
  const problems = schedules.flatMap((crontab) => whyNever(crontab, timeZone, Date.now()) ?? []);
  if (problems.length > 0) return refuse('ImpossibleSchedule', problems.join('; '));
  const own = jobs.filter(({ backupUid }) => backupUid === object.metadata.uid);
  const standing = standingOf(object, own, pods);
  const seconds = endLate(object, { jobs: own, pods, patch });
  return {
    children: cronJobs(object, IMAGE),
    status: statusOf(object, standing),
    conditions: conditionsOf(object, standing),
    events: eventsOf(object, standing),
    ...(seconds !== undefined && { retryAfter: `${seconds}s` }),
  };
}

/** The children stay as they are. */
function refuse(reason: string, message: string): ReconcileAnswer {
  return { refused: { reason, message } };
}

function aroundOf({ watched, owned }: ReconcileRun<Backup, Watched>) {
  const cronJobs = (owned['CronJob.batch'] ?? []).map(({ metadata }) => metadata.name);
  return { ...watched, cronJobs, image: IMAGE };
}
