import type { ConditionToSet, KubernetesObject, NewObject } from 'hooklet';
import { type Backups, takenBackups } from './backups-claim.ts';
import { stateOf } from './job-state.ts';
import { backupBefore, migrateJob } from './jobs.ts';
import { majorOf, type SampleDB } from './spec.ts';

/** What there is of a SampleDB. */
export interface Seen {
  /** The version of the data. */
  readonly version: string;
  readonly jobs: readonly KubernetesObject[];
  readonly backups: Backups;
  /** Whether the server is ready. */
  readonly isReady: boolean;
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
export function upgrade(db: SampleDB, seen: Seen): Serving {
  const { version, jobs, isReady } = seen;
  const wanted = db.spec.version;
  const done: Serving = { version: wanted, replicas: 1, jobs: [], upgraded: told('UpToDate', wanted, 'True') };
  if (version === wanted) return done;
  const isMajor = majorOf(version) !== majorOf(wanted);
  const backup = backupBefore(db);
  const { phase, message } = stateOf(backup, jobs);
  // What does not serve, such as a version without an image, can have no backup: the other version may mend it.
  if (!isMajor && !isReady && phase === 'absent') return done;
  if (phase === 'complete') return isMajor ? migrate(db, seen, { backup, done }) : done;
  if (seen.backups === 'taken') {
    const text = `${version} serves, since ${takenBackups(db.metadata.name)}`;
    return { version, replicas: 1, jobs: [], upgraded: told('VolumeTaken', text) };
  }
  if (phase === 'failed') {
    const text = `${version} serves, since the backup before ${wanted} failed: ${message}. ${again(backup, version)}`;
    return { version, replicas: 1, jobs: [backup], upgraded: told('BackupFailed', text) };
  }
  const upgraded = told('BackingUp', `${version} serves, and a backup is taken before ${wanted}`, 'Unknown');
  return { version, replicas: 1, jobs: seen.backups === 'absent' ? running(backup, phase) : [backup], upgraded };
}

// The volume of the backups is made before a Job that mounts it.
function running(backup: NewObject, phase: string): readonly NewObject[] {
  return phase === 'running' ? [backup] : [];
}

interface Around {
  readonly backup: NewObject;
  readonly done: Serving;
}

function migrate(db: SampleDB, { version, jobs, isStopped }: Seen, { backup, done }: Around): Serving {
  const wanted = db.spec.version;
  const migration = migrateJob(db, version);
  const { phase, message } = stateOf(migration, jobs);
  switch (phase) {
    case 'complete':
      return done;
    case 'failed': {
      const failure = `${version} serves, since the migration to ${wanted} failed: ${message}. ${again(migration, version)}`;
      return { version, replicas: 1, jobs: [backup, migration], upgraded: told('MigrationFailed', failure) };
    }
    case 'running':
    case 'absent': {
      const text = `the data of ${version} is migrated to ${wanted}; until then nothing serves`;
      const isBegun = phase === 'running' || isStopped;
      return {
        version,
        replicas: 0,
        jobs: isBegun ? [backup, migration] : [backup],
        upgraded: told('Migrating', text, 'Unknown'),
      };
    }
  }
}

function told(reason: string, message: string, status: ConditionToSet['status'] = 'False'): ConditionToSet {
  return { type: 'Upgraded', status, reason, message };
}

function again({ metadata: { name = '' } }: NewObject, version: string): string {
  return `See kubectl logs job/${name}; then delete that Job to try again, or set spec.version to ${version}`;
}
