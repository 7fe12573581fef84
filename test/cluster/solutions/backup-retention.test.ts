import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  backupFixtures,
  backupFolder,
  fileBackupHook,
  nameOf,
  restoreFile,
  tickOf,
  wholeBackups,
} from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';

type Env = Readonly<Record<string, string>>;

let root: string;
let env: Env;

beforeEach(() => {
  const folder = backupFolder();
  root = folder.root;
  env = { ...folder.env, BACKUP_KEEP: '1', BACKUP_LOCK_TIMEOUT: '2s' };
});

/** Runs the hook as one of several operators, each of which has a Pod of its own. */
async function backUp(pod: string, day: number, more: Env = {}, fields: object = {}): Promise<ScriptResult> {
  const own = { POD_NAME: pod, BACKUP_SCRATCH: join(root, `s-${pod}`).slice(0, 60) };
  return runScript(fileBackupHook, { contexts: [tickOf(day, fields)], env: { ...env, ...own, ...more } });
}

const at = (command: string, then: string): Env => ({
  BASH_ENV: join(backupFixtures, 'at-command.sh'),
  AT_COMMAND: command,
  AT_MARK: join(root, `mark-${crypto.randomUUID()}`),
  THEN: then,
});
// Stops the run and all its processes for longer than the timeout of the lock, as on a machine that hangs.
const STOPPED = `setsid bash -c "sleep 6; kill -CONT -- -$(ps -o pgid= -p $$ | tr -d ' ')" & sleep 1; kill -STOP 0`;

const folder = (): string => join(root, 'backups', 'default', 'file');
const published = (): readonly unknown[] => wholeBackups(folder()).map(({ backup }) => backup);
const expectRestorable = async (): Promise<void> => expect((await restoreFile(env)).stdout).toMatch(/the data$/);

describe('of 2 operators in one folder', { timeout: 240_000 }, () => {
  it('each makes its backup while the other one waits', async () => {
    const results = await Promise.all([backUp('a', 1, at('step verify', 'sleep 4')), backUp('b', 2)]);

    expect(results.map(({ failure }) => failure)).toEqual([undefined, undefined]);
    expect(published()).toHaveLength(1);
    await expectRestorable();
  });

  it('one gives up when the other has the lock for as long as it waits, and says who has it', async () => {
    mkdirSync(folder(), { recursive: true });
    const lock = { holder: 'pod-of-another', backup: 'its-backup', since: '2026-01-01T00:00:00Z' };
    writeFileSync(join(folder(), '.lock'), JSON.stringify(lock));
    const alive = setInterval(() => utimesSync(join(folder(), '.lock'), new Date(), new Date()), 300);

    const { failure } = await backUp('a', 1);

    clearInterval(alive);
    expect(failure).toContain(
      'Locked: file, step lock: pod-of-another makes backup its-backup in default/file since 2026-01-01T00:00:00Z',
    );
    expect(published()).toEqual([]);
  });

  it('one takes a lock of a time to come that nobody writes any more', async () => {
    mkdirSync(folder(), { recursive: true });
    const lock = { holder: 'pod-of-another', backup: 'its-backup', since: '2026-01-01T00:00:00Z' };
    writeFileSync(join(folder(), '.lock'), JSON.stringify(lock));
    const ahead = new Date(Date.now() + 3_600_000);
    utimesSync(join(folder(), '.lock'), ahead, ahead);

    const { failure, printed } = await backUp('a', 1);

    expect(failure).toBeUndefined();
    expect(printed).toContain('took the lock of pod-of-another, which has not been written for more than 2s');
  });

  it.each(['step dump', 'step upload', 'mv -T "$folder"', 'see_whole', 'mv -T "$root/$1"', 'lock_release'])(
    'one that stands still before "%s" until the other has its lock leaves a backup that was published last',
    async (command) => {
      await backUp('a', 1);

      const [, other] = await Promise.all([
        backUp('a', 2, at(command, STOPPED)),
        backUp('b', 3, at('lock_take', 'sleep 2')),
      ]);

      expect(other.failure).toBeUndefined();
      expect(published().length).toBeGreaterThan(0);
      await expectRestorable();
      expect((await backUp('a', 4)).failure).toBeUndefined();
      await expectRestorable();
    },
  );

  it.each(['mark_owner', 'step dump', 'step compare', 'mv -T "$folder"', 'step latest', 'mv -T "$root/$1"'])(
    'one that is killed before "%s" while the other works leaves a backup, and both make the next ones',
    async (command) => {
      await backUp('a', 1);

      const [, other] = await Promise.all([backUp('a', 2, at(command, 'kill -KILL 0')), backUp('b', 3)]);

      expect(other.failure).toBeUndefined();
      await expectRestorable();
      const results = await Promise.all([backUp('a', 2), backUp('b', 4)]);
      expect(results.map(({ failure }) => failure)).toEqual([undefined, undefined]);
      await expectRestorable();
      expect(existsSync(join(folder(), '.lock'))).toBe(false);
    },
  );
});

describe('what is removed', { timeout: 240_000 }, () => {
  it('is never the backup that was just made, also when a clock was 30 minutes ahead', async () => {
    const scheduledAt = new Date(Date.now() + 30 * 60_000).toISOString();
    await backUp('a', 1, {}, { scheduledAt });
    const now = new Date().toISOString();

    const { failure } = await backUp('a', 2, {}, { scheduledAt: now });

    expect(failure).toBeUndefined();
    expect(wholeBackups(folder())).toMatchObject([{ runId: 'backup-2' }, { runId: 'backup-1' }]);
    await expect(restoreFile(env)).resolves.toMatchObject({ stdout: expect.stringContaining('backup-2, taken at') });
    expect(readFileSync(join(folder(), 'latest.json'), 'utf8')).toContain('"runId":"backup-2"');
  });

  it.each([
    ['is shorter', 'truncate --size=3'],
    ['is gone', 'rm'],
  ])('is nothing when the new dump %s', async (_, damage) => {
    await backUp('a', 1);
    const path = join(folder(), nameOf(2), 'dump.txt');

    const { failure } = await backUp('a', 2, at('step retain', `${damage} '${path}'`));

    expect(failure).toContain(`UploadDamaged: file, step retain: backup ${nameOf(2)} is not in`);
    expect(existsSync(join(folder(), nameOf(1), 'manifest.json'))).toBe(true);
  });

  it('is compared with its manifest again by an attempt that finds its backup published', async () => {
    await backUp('a', 1);
    await backUp('a', 2, at('step retain', 'kill -KILL 0'));
    writeFileSync(join(folder(), nameOf(2), 'dump.txt'), 'bad data');

    const { failure } = await backUp('a', 2);

    expect(failure).toContain('UploadDamaged: file, step retain: ');
    expect(existsSync(join(folder(), nameOf(1), 'manifest.json'))).toBe(true);
  });

  it('of a run of another Pod that did not end is what is older than BACKUP_TIMEOUT', async () => {
    const old = (Date.now() - 2 * 3_600_000) / 1000;
    for (const name of ['young', 'old']) {
      const path = join(folder(), '.incoming', `${name}.abcdefghabcdefgh`);
      mkdirSync(path, { recursive: true });
      if (name === 'old') utimesSync(path, old, old);
    }

    await backUp('a', 1, { BACKUP_TIMEOUT: '1h' });

    expect(existsSync(join(folder(), '.incoming', 'young.abcdefghabcdefgh'))).toBe(true);
    expect(existsSync(join(folder(), '.incoming', 'old.abcdefghabcdefgh'))).toBe(false);
  });

  it('is nothing where BACKUP_RETENTION is none', async () => {
    for (const day of [1, 2, 3]) await backUp('a', day, { BACKUP_RETENTION: 'none' });

    expect(published()).toEqual([nameOf(1), nameOf(2), nameOf(3)]);
  });
});

describe('--list', { timeout: 120_000 }, () => {
  it('calls verified only what is there with the size it had', async () => {
    for (const day of [1, 2, 3]) await backUp('a', day, { BACKUP_KEEP: '9' });
    rmSync(join(folder(), nameOf(1), 'dump.txt'));
    truncateSync(join(folder(), nameOf(2), 'dump.txt'), 3);

    const { stdout } = await restoreFile(env, '--list');

    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^\S+ {2}\S+ {2}8 bytes {2}MISSING: there is no dump.txt {2}/),
      expect.stringMatching(/^\S+ {2}\S+ {2}8 bytes {2}DAMAGED: dump.txt has 3 bytes {2}/),
      expect.stringMatching(/^\S+ {2}\S+ {2}8 bytes {2}verified: yes {2}/),
    ]);
  });
});
