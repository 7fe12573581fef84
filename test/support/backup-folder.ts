import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { builtMain } from './built-program.ts';
import { temporaryFolder } from './hook-rig.ts';
import { solutionsDir } from './solutions.ts';

/** The solution whose backups are tested. */
export const backupSolution = join(solutionsDir, 'backup');

/** Scripts for its tests. */
export const backupFixtures = fileURLToPath(new URL('../fixtures/backup', import.meta.url));

/** A hook that backs up a file with the library that all hooks of the solution share. */
export const fileBackupHook = join(backupFixtures, 'backup.sh');

/** The folders of a test: the data to back up, and the backups. */
export interface BackupFolder {
  readonly root: string;
  /** The environment variables that point to them. */
  readonly env: Readonly<Record<string, string>>;
}

/** A folder for the current test, with a file `source` to back up. */
export function backupFolder(): BackupFolder {
  const folder = ownBackupFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder;
}

/** The same for a test that runs beside others, and disposes of it. */
export function ownBackupFolder(): BackupFolder & Disposable {
  const folder = temporaryFolder();
  const root = folder.path;
  const tmp = join(root, 'tmp');
  mkdirSync(tmp);
  writeFileSync(join(root, 'source'), 'the data');
  const env = {
    SOLUTION: backupSolution,
    SOURCE: join(root, 'source'),
    BACKUP_DIR: join(root, 'backups'),
    // The path of a socket must be short, and TMPDIR may be long.
    BACKUP_SCRATCH: join(root, 's').slice(0, 60),
    TMPDIR: tmp,
    // As in the container of a Pod, which is started again and again.
    POD_NAME: 'backup-0',
  };
  return { root, env, [Symbol.dispose]: () => folder[Symbol.dispose]() };
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

/** The name of the backup that such a run creates. */
export function nameOf(day: number): string {
  return `202411${String(day).padStart(2, '0')}T030000Z-backup-${day}`;
}

/** Runs the restore script for a file; it prints the file last. */
export async function restoreFile(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const bin = join(env['TMPDIR'] ?? '', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'jq'), `#!/bin/sh\nexec '${process.execPath}' '${builtMain()}' jq "$@"\n`, { mode: 0o755 });
  const PATH = `${process.env['PATH'] ?? ''}:${bin}`;
  return promisify(execFile)(join(backupFixtures, 'restore.sh'), args, { env: { ...process.env, ...env, PATH } });
}

/** The manifests of the published backups in a folder, oldest first; each must have its complete dump. */
export function wholeBackups(folder: string): readonly Readonly<Record<string, unknown>>[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'manifest.json')));
  return names.toSorted().map((name) => {
    const manifest = JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8'));
    const { length } = readFileSync(join(folder, name, manifest.file));
    if (length !== manifest.bytes) throw new Error(`${name} has ${length} bytes, its manifest says ${manifest.bytes}`);
    return manifest;
  });
}
