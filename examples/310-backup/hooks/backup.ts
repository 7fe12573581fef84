// Makes a CronJob of each Backup, reads from the Pods of its Jobs what became of them, and removes the backups with it.
import { reconcile, type ReconcileAnswer, type ReconcileRun } from 'hooklet';
import { conditionsOf } from './lib/conditions.ts';
import { whyNever } from './lib/crontab.ts';
import { eventsOf } from './lib/events.ts';
import { finalize } from './lib/finalize.ts';
import { cronJobs, IMAGE } from './lib/jobs.ts';
import { endJob, lateJobs, waitsBefore } from './lib/late.ts';
import { JOB_FILTER, POD_FILTER, type SeenJob, type SeenPod } from './lib/seen.ts';
import { type Backup, BACKUP_LABEL, GROUP, secondsOf } from './lib/spec.ts';
import { secondsToTick, standingOf, statusOf } from './lib/status.ts';

type Watched = { readonly jobs: SeenJob; readonly pods: SeenPod; readonly leaving: string };

const ours = { matchExpressions: [{ key: BACKUP_LABEL, operator: 'Exists' }] };
const leaves = 'if .metadata.deletionTimestamp then "*" else null end';
const whose = `.metadata.labels["${BACKUP_LABEL}"]`;

export default reconcile<Backup, Watched>(
  {
    name: 'backups',
    apiVersion: `${GROUP}/v1`,
    kind: 'Backup',
    owns: [{ apiVersion: 'batch/v1', kind: 'CronJob' }],
    watches: [
      { name: 'jobs', apiVersion: 'batch/v1', kind: 'Job', labelSelector: ours, for: whose, jqFilter: JOB_FILTER },
      { name: 'pods', apiVersion: 'v1', kind: 'Pod', labelSelector: ours, for: whose, jqFilter: POD_FILTER },
      // Namespaces that are being deleted.
      { name: 'leaving', apiVersion: 'v1', kind: 'Namespace', for: leaves, jqFilter: '.metadata.name' },
    ],
    finalize: true,
  },
  (run) => (run.finalizing ? finalize(run.object, aroundOf(run)) : work(run)),
);

function work(run: ReconcileRun<Backup, Watched>): ReconcileAnswer {
  const { object, watched, patch } = run;
  const { jobs, pods } = watched;
  const { schedule, timeZone, drill } = object.spec;
  const schedules = drill === undefined ? [schedule] : [schedule, drill.schedule];
  const problems = schedules.flatMap((crontab) => whyNever(crontab, timeZone, Date.now()) ?? []);
  if (problems.length > 0) return refuse('ImpossibleSchedule', problems.join('; '));
  const own = jobs.filter(({ backupUid }) => backupUid === object.metadata.uid);
  const standing = standingOf(object, own, pods);
  const { late, waits } = lateJobs(secondsOf(object.spec.startTimeout), { jobs: own, pods, before: waitsBefore(run) });
  for (const job of late) endJob(job, patch);
  const again = Math.min(waits?.again ?? Infinity, secondsToTick(object) ?? Infinity);
  return {
    children: cronJobs(object, IMAGE),
    status: statusOf(object, standing),
    conditions: conditionsOf(object, standing),
    events: eventsOf(object, standing),
    ...(Number.isFinite(again) && { retryAfter: `${again}s` }),
    ...(waits !== undefined && { output: { ...waits, again } }),
  };
}

/** The children stay as they are. */
function refuse(reason: string, message: string): ReconcileAnswer {
  return { refused: { reason, message } };
}

function aroundOf({ object, watched, owned, patch }: ReconcileRun<Backup, Watched>) {
  const cronJobs = (owned['CronJob.batch'] ?? []).map(({ metadata }) => metadata.name);
  const isLeaving = watched.leaving.includes(object.metadata.namespace ?? '');
  return { ...watched, cronJobs, image: IMAGE, isLeaving, patch };
}
