import type { ConditionToSet, KubernetesObject } from 'hooklet';
import { type Backups, takenBackups } from './backups-claim.ts';
import { lastLine, type PodSeen } from './health.ts';
import { phaseOf } from './job-state.ts';
import type { SampleDB } from './spec.ts';

/** When the CronJob last took a backup; undefined before the first. */
export function lastBackupOf(crons: readonly KubernetesObject[]): string | undefined {
  const value: unknown = Object(crons[0]?.['status'])['lastSuccessfulTime'];
  return typeof value === 'string' ? value : undefined;
}

interface Around {
  readonly jobs: readonly KubernetesObject[];
  readonly pods: readonly PodSeen[];
  readonly backups: Backups;
}

/** Whether backups are taken, and what to do where they are not. */
export function backedUp(
  { metadata, spec }: SampleDB,
  last: string | undefined,
  { jobs, pods, backups }: Around,
): ConditionToSet {
  const told = (status: ConditionToSet['status'], reason: string, message: string): ConditionToSet => ({
    type: 'BackedUp',
    status,
    reason,
    message,
  });
  const { schedule, suspend } = spec.backup;
  if (backups === 'taken') return told('False', 'VolumeTaken', takenBackups(metadata.name));
  const kept = last === undefined ? 'there is no backup yet' : `the last good one is of ${last}, and is kept`;
  if (schedule === undefined) return told('Unknown', 'NoSchedule', `spec.backup.schedule is not set; ${kept}`);
  if (suspend) return told('Unknown', 'Suspended', `spec.backup.suspend is true; ${kept}`);
  const failed = jobs.find((job) => {
    const { phase, at = '' } = phaseOf(job);
    return phase === 'failed' && (last === undefined || at > last);
  });
  if (failed !== undefined) {
    const log = pods.find(({ name, message }) => name.startsWith(`${failed.metadata.name}-`) && message !== null);
    const why = log === undefined ? phaseOf(failed).message : lastLine(log.message ?? '');
    const full = /no space left/i.test(why) ? 'raise spec.backup.size' : `see kubectl logs job/${failed.metadata.name}`;
    const now = `kubectl create job --from=cronjob/${metadata.name}-backup again`;
    return told('False', 'BackupFailed', `${why}; ${kept}. To do: ${full}, then ${now}`);
  }
  if (last === undefined) return told('Unknown', 'NoBackupYet', `the first is taken by ${schedule}`);
  return told('True', 'BackedUp', kept);
}
