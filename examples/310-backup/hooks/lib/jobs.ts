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

/** The Job that removes all backups from the bucket. */
export function removal(backup: Backup, image: string): object {
  const { name, uid } = backup.metadata;
  // Another Backup of this name never takes the end of this Job for its own.
  const metadata = { name: `${name}-remove-${uid.slice(0, 8)}`, labels: labelsOf(backup, 'remove') };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: jobSpec(backup, 'remove', image) };
}

interface CronJobParts {
  readonly task: Task;
  readonly name: string;
  readonly schedule: string;
  readonly image: string;
}

function cronJob(backup: Backup, { task, name, schedule, image }: CronJobParts): object {
  const { timeZone, suspend } = backup.spec;
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name, labels: labelsOf(backup, task) },
    spec: {
      schedule,
      timeZone,
      suspend,
      // One at a time: a Job that is stuck is not joined by others. Without a startingDeadlineSeconds, the last one of
      // all ticks that were missed is made up for, however long ago it was due.
      concurrencyPolicy: 'Forbid',
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: { metadata: { labels: labelsOf(backup, task) }, spec: jobSpec(backup, task, image) },
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
