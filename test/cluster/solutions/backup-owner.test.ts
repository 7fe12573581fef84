import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  backupFolder,
  fileBackupHook,
  nameOf,
  restoreFile,
  tickOf,
  wholeBackups,
} from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';

type Env = Readonly<Record<string, string>>;

const FOLDER = 'shared/file';
let root: string;
let env: Env;

beforeEach(() => {
  const folder = backupFolder();
  root = folder.root;
  env = { ...folder.env, BACKUP_FOLDER: FOLDER };
});

async function backUp(day: number, uid: string, more: Env = {}): Promise<ScriptResult> {
  const context = tickOf(day, { snapshots: { guarded: [{ filterResult: uid }] } });
  return runScript(fileBackupHook, { contexts: [context], env: { ...env, ...more } });
}

const folder = (): string => join(root, 'backups', FOLDER);
const published = (): readonly unknown[] => wholeBackups(folder()).map(({ backup }) => backup);

/** Removes the identity from everything in the folder, so that the backups are unmarked. */
function unmark(): void {
  rmSync(join(folder(), 'owner.json'));
  for (const { backup } of wholeBackups(folder())) {
    const path = join(folder(), String(backup), 'manifest.json');
    const text = readFileSync(path, 'utf8').replace(/,"identity":"[^"]*","installation":"[^"]*"/, '');
    expect(text).not.toContain('identity');
    writeFileSync(path, text);
  }
}

describe('the folder of backups', { timeout: 120_000 }, () => {
  it('has the namespace in its name', async () => {
    await backUp(1, 'a', { BACKUP_FOLDER: '', POD_NAMESPACE: 'shop' });

    expect(wholeBackups(join(root, 'backups', 'shop', 'file'))).toMatchObject([
      { backup: nameOf(1), identity: 'file/a', installation: 'shop/file' },
    ]);
  });

  it('of one is refused to another for writing and retention, with both identities and the way on', async () => {
    await backUp(1, 'a');

    const { failure, patch } = await backUp(2, 'b', { BACKUP_KEEP: '1', POD_NAMESPACE: 'other' });

    const message = `${FOLDER} in the volume at ${join(root, 'backups')} holds the backups of file/a (installed as default/file), and this is file/b (installed as other/file): `;
    expect(failure).toContain(`FolderTaken: file, step check: ${message}`);
    expect(failure).toContain('set BACKUP_TAKE_OVER=file/a');
    expect(JSON.parse(patch)).toMatchObject({ object: { reason: 'BackupFolderTaken' } });
    expect(published()).toEqual([nameOf(1)]);
    const check = await runScript(fileBackupHook, {
      contexts: [{ binding: 'guarded', type: 'Synchronization', objects: [{ filterResult: 'b' }] }],
      env,
    });
    expect(check.failure).toContain('FolderTaken: ');
  });

  it('is taken over by one that is told from whom, and then refused to that one', async () => {
    await backUp(1, 'a');

    const taken = await backUp(2, 'b', { BACKUP_TAKE_OVER: 'file/a' });
    const again = await backUp(3, 'b', { BACKUP_TAKE_OVER: 'file/a', BACKUP_KEEP: '2' });
    const back = await backUp(4, 'a');

    expect(taken.printed).toContain('took over the backups of file/a');
    expect(again.printed).toContain(`removed ${nameOf(1)}`);
    expect(back.failure).toContain('holds the backups of file/b');
    expect(published()).toEqual([nameOf(2), nameOf(3)]);
  });

  it('is taken over from nobody else than it is told', async () => {
    await backUp(1, 'a');

    const { failure } = await backUp(2, 'b', { BACKUP_TAKE_OVER: 'file/c' });

    expect(failure).toContain('holds the backups of file/a');
  });

  it('that does not say whose it is goes on when somebody says that it is his', async () => {
    await backUp(1, 'a');
    unmark();

    const refused = await backUp(2, 'a');
    const taken = await backUp(3, 'a', { BACKUP_TAKE_OVER: 'unmarked', BACKUP_KEEP: '1' });

    expect(refused.failure).toMatch(/FolderTaken: .* of an earlier version, .* set BACKUP_TAKE_OVER=unmarked, else/);
    expect(taken.printed).toContain(`removed ${nameOf(1)}`);
    expect(published()).toEqual([nameOf(3)]);
  });

  it('keeps what is in it of somebody else, whatever is removed', async () => {
    await backUp(1, 'a');
    const path = join(folder(), nameOf(1), 'manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"identity":"file/a"', '"identity":"file/z"'));

    for (const day of [2, 3]) await backUp(day, 'a', { BACKUP_KEEP: '1' });

    expect(published()).toEqual([nameOf(1), nameOf(3)]);
  });

  it('has one owner when 2 begin it at the same time', async () => {
    const results = await Promise.all(
      ['a', 'b'].map(async (uid) => {
        const BACKUP_SCRATCH = join(root, `s-${uid}`).slice(0, 60);
        return backUp(1, uid, { POD_NAME: uid, BACKUP_SCRATCH });
      }),
    );

    const failures = results.flatMap(({ failure = [] }) => failure);
    expect(failures).toEqual([expect.stringContaining('FolderTaken: ')]);
    expect(published()).toEqual([nameOf(1)]);
  });

  it('may be named after what a person calls the data, also when the object is made anew', async () => {
    await backUp(1, 'a', { BACKUP_IDENTITY: 'prod/shop' });

    const { failure } = await backUp(2, 'b', { BACKUP_IDENTITY: 'prod/shop' });

    expect(failure).toBeUndefined();
    expect(wholeBackups(folder())).toMatchObject([{ identity: 'prod/shop' }, { identity: 'prod/shop' }]);
  });
});

describe('a restore', { timeout: 120_000 }, () => {
  it('of what is of somebody else is refused until it is said whose it is', async () => {
    await backUp(1, 'a');
    const other = { ...env, BACKUP_SCRATCH: join(root, 'o').slice(0, 60), POD_NAMESPACE: 'other' };
    mkdirSync(other.BACKUP_SCRATCH);
    writeFileSync(join(other.BACKUP_SCRATCH, 'file.identity'), 'file/b\n');

    await expect(restoreFile(other)).rejects.toThrow(
      `Refused: file, step choose: backup ${nameOf(1)} is of file/a (installed as default/file), and this is file/b: if it is what you want, add --take-over file/a`,
    );
    expect((await restoreFile(other, '--take-over', 'file/a')).stdout).toMatch(/the data$/);
    expect((await restoreFile(env)).stdout).toMatch(/the data$/);
  });

  it('where nobody knows what is here is of the same installation only', async () => {
    await backUp(1, 'a');
    const fresh = { ...env, BACKUP_SCRATCH: join(root, 'o').slice(0, 60) };

    await expect(restoreFile({ ...fresh, POD_NAMESPACE: 'other' })).rejects.toThrow(
      'and this is installed as other/file: if it is what you want, add --take-over file/a',
    );
    expect((await restoreFile(fresh)).stdout).toMatch(/the data$/);
  });
});
