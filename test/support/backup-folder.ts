import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { examplesDir } from './example-rig.ts';
import { temporaryFolder } from './hook-rig.ts';

/** The example whose backups are tested. */
export const scheduledBackup = join(examplesDir, '110-scheduled-backup');

/** Scripts for its tests. */
export const backupFixtures = fileURLToPath(new URL('../fixtures/scheduled-backup', import.meta.url));

/** A hook that backs up a file, and has all that the hooks of the example share. */
export const fileBackupHook = join(backupFixtures, 'backup.sh');

/** Where a test has what it backs up, and its backups. */
export interface BackupFolder {
  readonly root: string;
  /** The settings that lead there. */
  readonly env: Readonly<Record<string, string>>;
}

/** A folder for the test that runs now, with a file `source` to be backed up. */
export function backupFolder(): BackupFolder {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const root = folder.path;
  const tmp = join(root, 'tmp');
  mkdirSync(tmp);
  writeFileSync(join(root, 'source'), 'the data');
  const env = {
    EXAMPLE: scheduledBackup,
    SOURCE: join(root, 'source'),
    BACKUP_DIR: join(root, 'backups'),
    // The path of a socket may not be long, and TMPDIR may be.
    BACKUP_SCRATCH: join(root, 's').slice(0, 60),
    TMPDIR: tmp,
  };
  return { root, env };
}

/** The binding context of a backup that is due on a day of November. */
export function tickOf(day: number, fields: object = {}): object {
  return {
    binding: 'backup',
    type: 'Schedule',
    scheduledAt: `2024-11-${String(day).padStart(2, '0')}T03:00:00Z`,
    reason: 'tick',
    attempt: 1,
    runId: `backup-${day}`,
    snapshots: { guarded: [{ filterResult: 'the-uid' }] },
    ...fields,
  };
}

/** The name of the backup that such a run makes. */
export function nameOf(day: number): string {
  return `202411${String(day).padStart(2, '0')}T030000Z-backup-${day}`;
}
