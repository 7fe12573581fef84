import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { backupFolder, backupSolution, tickOf } from '../../support/backup-folder.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';
import { asNobody } from './backup-postgresql.ts';

type Env = Readonly<Record<string, string>>;

/** A backup of PostgreSQL that the hook has made in one run, without an operator. */
export interface BackupRun extends ScriptResult {
  /** The manifest of the published backup. */
  readonly manifest: Readonly<Record<string, unknown>> | undefined;
  /** The whole output of the run. */
  readonly said: string;
  /** Runs the restore script with additional environment, for a server that follows this one; returns the output. */
  readonly restoreTo: (env: Env, ...args: readonly string[]) => Promise<string>;
}

/** Runs the hook of PostgreSQL for the current test, with a volume and optionally with other programs, which the restore uses too. */
export async function backUpPostgresql(more: Env, programs: Env = {}): Promise<BackupRun> {
  const folder = backupFolder();
  const env = { ...folder.env, BACKUP_NAME: 'db', ...more };
  const PATH = `${programsIn(programs)}:${process.env['PATH'] ?? ''}`;
  const result = await runScript(hookIn(folder.root), { contexts: [tickOf(1)], env: { ...env, PATH } });
  const script = join(backupSolution, 'restore', 'postgresql.sh');
  const manifest = manifestIn(join(folder.root, 'backups', 'default', 'db'));
  const takeOver = ['--take-over', String(manifest?.['identity'])];
  return {
    ...result,
    manifest,
    said: JSON.stringify(result.printed),
    restoreTo: async (target, ...args) => {
      const { stdout } = await promisify(execFile)(script, [...takeOver, ...args], {
        env: { ...process.env, ...env, PATH, ...target },
      });
      return stdout;
    },
  };
}

/** In a folder that every user can read. */
function programsIn(programs: Env): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  chmodSync(folder.path, 0o755);
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder.path, name), text, { mode: 0o755 });
  return folder.path;
}

function hookIn(root: string): string {
  const hook = join(backupSolution, 'hooks', 'postgresql', 'backup.sh');
  if (process.getuid?.() !== 0) return hook;
  mkdirSync(join(root, 'hooks'));
  const own = join(root, 'hooks', 'backup.sh');
  writeFileSync(own, asNobody(hook), { mode: 0o755 });
  return own;
}

function manifestIn(target: string): BackupRun['manifest'] {
  const names = existsSync(target) ? readdirSync(target) : [];
  const [name = ''] = names.filter((one) => existsSync(join(target, one, 'manifest.json')));
  return name === '' ? undefined : JSON.parse(readFileSync(join(target, name, 'manifest.json'), 'utf8'));
}
