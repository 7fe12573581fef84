import { join } from 'node:path';
import { expect } from 'vitest';
import { backupFixtures, fileBackupHook, ownBackupFolder, restoreFile, tickOf } from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';

type Env = Readonly<Record<string, string>>;

/** The backups of a file by several operators, for one test. */
export interface FileBackups extends Disposable {
  readonly root: string;
  readonly env: Env;
  /** Runs the hook as one of the operators, each of which has a Pod of its own. */
  readonly backUp: (pod: string, day: number, more?: Env, fields?: object) => Promise<ScriptResult>;
  /** The environment that makes a run do something before a command of the hook, once. */
  readonly at: (command: string, then: string) => Env;
  /** Checks that the newest backup has the data. */
  readonly expectRestorable: (more?: Env) => Promise<void>;
}

/**
 * Lends the backups of a file to tests that run at the same time, to so many of them at once: the holder of a lock must
 * get to write it in time.
 */
export function fileBackupsFor(atOnce: number): (settings: Env) => Promise<FileBackups> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  return async (settings) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    return fileBackups(settings, release);
  };
}

function fileBackups(settings: Env, onEnd: () => void): FileBackups {
  const folder = ownBackupFolder();
  const { root } = folder;
  const env = { ...folder.env, ...settings };
  return {
    root,
    env,
    backUp: async (pod, day, more = {}, fields = {}) => {
      const own = { POD_NAME: pod, BACKUP_SCRATCH: join(root, `s-${pod}`).slice(0, 60) };
      return runScript(fileBackupHook, { contexts: [tickOf(day, fields)], env: { ...env, ...own, ...more } });
    },
    at: (command, then) => ({
      BASH_ENV: join(backupFixtures, 'at-command.sh'),
      AT_COMMAND: command,
      AT_MARK: join(root, `mark-${crypto.randomUUID()}`),
      THEN: then,
    }),
    expectRestorable: async (more = {}) => expect((await restoreFile({ ...env, ...more })).stdout).toMatch(/the data$/),
    [Symbol.dispose]() {
      onEnd();
      folder[Symbol.dispose]();
    },
  };
}
