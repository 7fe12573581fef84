import { type Backup, secondsOf, type Task } from './spec.ts';
import { labelsOf, podTemplate } from './pod.ts';

/** Where the image of the Jobs is said. */
export const IMAGE = process.env['BACKUP_IMAGE'] ?? 'registry.example.com/backup-operator:1';

/** The CronJobs of a Backup: one makes backups, the other one drills. */
export function cronJobs(backup: Backup, image: string): readonly object[] {
  const { metadata, spec } = backup;
  const backups = cronJob(backup, { task: 'backup', name: metadata.name, schedule: spec.schedule, image });
  if (spec.drill === undefined) return [backups];
  const { schedule } = spec.drill;
  return [backups, cronJob(backup, { task: 'drill', name: `${metadata.name}-drill`, schedule, image })];
}

/** A finished Job that is deleted by none goes by itself. */
const REMOVAL_LIFE_SECONDS = 3600;

/**
 * The Job that removes all backups from the bucket, at one of several attempts. It has no owner: with
 * `--cascade=foreground`, Kubernetes deletes all that a Backup owns before the Backup itself.
 */
export function removal(backup: Backup, image: string, attempt: number) {
  const { name, namespace = '', uid } = backup.metadata;
  // Neither another Backup of this name nor another attempt takes the end of this Job for its own.
  const own = `${name}-remove-${uid.slice(0, 8)}-${attempt}`;
  const metadata = { name: own, namespace, labels: labelsOf(backup, 'remove') };
  const spec = { ...jobSpec(backup, 'remove', image), ttlSecondsAfterFinished: REMOVAL_LIFE_SECONDS };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
}

/** The attempt that a Job is, by its name. */
export function attemptIn(name: string): number {
  return Number(/-remove-[^-]*-(\d{1,6})$/.exec(name)?.[1] ?? 0);
}

interface TaskParts {
  readonly task: Task;
  readonly name: string;
  readonly schedule: string;
  readonly image: string;
}

function cronJob(backup: Backup, { task, name, schedule, image }: TaskParts): object {
  const { timeZone, suspend } = backup.spec;
  const job = jobSpec(backup, task, image);
  return cronJobOf({ name, labels: labelsOf(backup, task), schedule, timeZone, suspend, job });
}

export interface CronJobParts {
  readonly name: string;
  /** Of the CronJob and its Jobs. */
  readonly labels: Readonly<Record<string, string>>;
  readonly schedule: string;
  readonly timeZone: string;
  readonly suspend: boolean;
  /** The spec of its Jobs. */
  readonly job: object;
}

/** A CronJob whose Jobs do not overlap. */
export function cronJobOf({ name, labels, schedule, timeZone, suspend, job }: CronJobParts) {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name, labels },
    spec: {
      schedule,
      timeZone,
      suspend,
      // One at a time: a Job that is stuck is not joined by others. Without a startingDeadlineSeconds, the last one of
      // all ticks that were missed is made up for, however long ago it was due.
      concurrencyPolicy: 'Forbid',
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: { metadata: { labels }, spec: job },
    },
  };
}

function jobSpec(backup: Backup, task: Task, image: string): object {
  const { retries, deadline } = backup.spec;
  return {
    backoffLimit: task === 'drill' ? 0 : retries,
    activeDeadlineSeconds: secondsOf(deadline),
    template: podTemplate(backup, task, image),
  };
}
