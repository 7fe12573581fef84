import type { ConditionToSet, KubernetesObject, NewObject } from 'hooklet';
import { stateOf } from './job-state.ts';
import { backupBefore, migrateJob } from './parts.ts';
import { majorOf, type SampleDB } from './spec.ts';

/** What there is of a SampleDB. */
export interface Seen {
  /** The version of the data. */
  readonly version: string;
  readonly jobs: readonly KubernetesObject[];
  /** Whether no server of the StatefulSet runs, nor may start. */
  readonly isStopped: boolean;
}

/** Which version serves, and the Jobs beside it. */
export interface Serving {
  readonly version: string;
  readonly replicas: 0 | 1;
  readonly jobs: readonly NewObject[];
  readonly upgraded: ConditionToSet;
}

/**
 * The next step to the version of the spec: a backup; between major versions a migration without a server; the server in
 * the new version. It is decided by what there is alone, so it goes on after whatever interrupts it.
 */
export function upgrade(db: SampleDB, { version, jobs, isStopped }: Seen): Serving {
  const wanted = db.spec.version;
  const told = (reason: string, message: string, status: ConditionToSet['status'] = 'False'): ConditionToSet => ({
    type: 'Upgraded',
    status,
    reason,
    message,
  });
  const done: Serving = { version: wanted, replicas: 1, jobs: [], upgraded: told('UpToDate', wanted, 'True') };
  if (version === wanted) return done;
  const backup = backupBefore(db);
  const before = stateOf(backup, jobs);
  if (before.phase !== 'complete') {
    const upgraded =
      before.phase === 'failed'
        ? told(
            'BackupFailed',
            `${version} serves, since the backup before ${wanted} failed: ${before.message}. ${again(backup, version)}`,
          )
        : told('BackingUp', `${version} serves, and a backup is taken before ${wanted}`);
    return { version, replicas: 1, jobs: [backup], upgraded };
  }
  if (majorOf(version) === majorOf(wanted)) return done;
  const migration = migrateJob(db, version);
  const { phase, message } = stateOf(migration, jobs);
  if (phase === 'complete') return done;
  if (phase === 'failed') {
    const text = `${version} serves, since the migration to ${wanted} failed: ${message}. ${again(migration, version)}`;
    return { version, replicas: 1, jobs: [backup, migration], upgraded: told('MigrationFailed', text) };
  }
  const isBegun = phase === 'running' || isStopped;
  const upgraded = told('Migrating', `the data of ${version} is migrated to ${wanted}; until then nothing serves`);
  return { version, replicas: 0, jobs: isBegun ? [backup, migration] : [backup], upgraded };
}

function again({ metadata: { name = '' } }: NewObject, version: string): string {
  return `See kubectl logs job/${name}; then delete that Job to try again, or set spec.version to ${version}`;
}
