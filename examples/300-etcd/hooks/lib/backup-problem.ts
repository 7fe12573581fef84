import { whyNever } from './backup-engine/crontab.ts';
import type { BackupSpec } from './backup.ts';
import { nameProblem } from './name-problem.ts';
import type { RestoreSpec } from './restore.ts';
import { specProblem } from './spec-problem.ts';

/** All that is wrong with the spec of an EtcdBackup, in one text; undefined where nothing is. */
export function backupProblem(spec: BackupSpec, nowMs: number): string | undefined {
  return joined([oneOf(spec, 'claimName', 'destination'), ...scheduleProblems(spec, nowMs)]);
}

/** The same of an EtcdRestore. */
export function restoreProblem(spec: RestoreSpec): string | undefined {
  const { cluster, template } = spec;
  return joined([oneOf(spec, 'backup', 'from'), nameProblem('spec.cluster', cluster), templateProblem(template)]);
}

/** The definition says nothing of what is in a template. */
function templateProblem(template: RestoreSpec['template']): string | undefined {
  const { replicas, version, storage }: Readonly<Record<string, unknown>> = { ...template };
  const { size }: Readonly<Record<string, unknown>> = Object(storage);
  if (typeof replicas !== 'number' || typeof version !== 'string' || typeof size !== 'string') {
    return 'spec.template needs replicas, version and storage.size, as in an EtcdCluster';
  }
  if ('restore' in template) return 'spec.template.restore is given, but spec says what is restored: remove it';
  return specProblem(template)?.replaceAll('spec.', 'spec.template.');
}

function joined(problems: readonly (string | undefined)[]): string | undefined {
  const found = problems.filter((problem) => problem !== undefined);
  return found.length === 0 ? undefined : found.join('; ');
}

function oneOf(spec: object, one: string, other: string): string | undefined {
  const given = [one, other].filter((name) => Reflect.get(spec, name) !== undefined);
  if (given.length === 1) return undefined;
  return `spec has ${given.length === 0 ? 'neither' : 'both'} ${one} ${given.length === 0 ? 'nor' : 'and'} ${other}: give one of them`;
}

function scheduleProblems({ schedule, timeZone, suspend, retention, destination }: BackupSpec, nowMs: number) {
  const inBucket = Object.entries({ schedule, retention })
    .filter(([, value]) => value !== undefined && destination === undefined)
    .map(([name]) => `spec.${name} is of backups in a bucket: give spec.destination instead of spec.claimName`);
  const ofSchedule = Object.entries({ timeZone, suspend })
    .filter(([, value]) => value !== undefined && schedule === undefined)
    .map(([name]) => `spec.${name} is of a schedule: give spec.schedule too`);
  const never = schedule === undefined ? undefined : whyNever(schedule, timeZone ?? 'Etc/UTC', nowMs);
  return [...inBucket, ...ofSchedule, never];
}
