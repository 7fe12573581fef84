import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backupFixtures, nameOf, restoreFile, wholeBackups } from '../../support/backup-folder.ts';
import { fileBackupsFor, type FileBackups } from './backup-file-rig.ts';

const lend = fileBackupsFor(3);

interface VolumeBackups extends FileBackups {
  readonly folder: string;
  readonly published: () => readonly unknown[];
}

/** Backups on a volume of their own. */
async function onVolume(): Promise<VolumeBackups> {
  const backups = await lend({ BACKUP_KEEP: '1', BACKUP_LOCK_TIMEOUT: '2s' });
  const folder = join(backups.root, 'backups', 'default', 'file');
  return { ...backups, folder, published: () => wholeBackups(folder).map(({ backup }) => backup) };
}

/** For a run to wait until a file is there; not for longer than a minute. */
const until = (file: string): string =>
  `for ((tenths = 0; tenths < 600; tenths++)); do [[ ! -e '${file}' ]] || break; sleep 0.1; done`;

/** For a run to stand still with all its processes until `b` has its lock, as on a machine that hangs. */
function standsStill({ root, folder }: VolumeBackups): { readonly action: string; readonly started: string } {
  const started = join(root, 'stands-still');
  const script = join(backupFixtures, 'until-taken.sh');
  const group = `"$(ps -o pgid= -p $$ | tr -d ' ')"`;
  const watch = `setsid bash '${script}' '${join(folder, '.lock')}' b ${group} '${started}' > /dev/null 2>&1 &`;
  return { action: `${watch} ${until(started)}; kill -STOP 0`, started };
}

describe.concurrent('of 2 operators in one folder', { timeout: 240_000 }, () => {
  it('each makes its backup while the other one waits', async () => {
    using backups = await onVolume();
    const { backUp, at, published, expectRestorable } = backups;

    const results = await Promise.all([backUp('a', 1, at('step verify', 'sleep 4')), backUp('b', 2)]);

    expect(results.map(({ failure }) => failure)).toEqual([undefined, undefined]);
    expect(published()).toHaveLength(1);
    await expectRestorable();
  });

  it('one gives up when the other has the lock for as long as it waits, and says who has it', async () => {
    using backups = await onVolume();
    const { backUp, folder, published } = backups;
    mkdirSync(folder, { recursive: true });
    const lock = { holder: 'pod-of-another', backup: 'its-backup', since: '2026-01-01T00:00:00Z' };
    writeFileSync(join(folder, '.lock'), JSON.stringify(lock));
    const alive = setInterval(() => utimesSync(join(folder, '.lock'), new Date(), new Date()), 300);

    const { failure } = await backUp('a', 1);

    clearInterval(alive);
    expect(failure).toContain(
      'Locked: file, step lock: pod-of-another makes backup its-backup in default/file since 2026-01-01T00:00:00Z',
    );
    expect(published()).toEqual([]);
  });

  it('one takes a lock of a time to come that nobody writes any more', async () => {
    using backups = await onVolume();
    const { backUp, folder } = backups;
    mkdirSync(folder, { recursive: true });
    const lock = { holder: 'pod-of-another', backup: 'its-backup', since: '2026-01-01T00:00:00Z' };
    writeFileSync(join(folder, '.lock'), JSON.stringify(lock));
    const ahead = new Date(Date.now() + 3_600_000);
    utimesSync(join(folder, '.lock'), ahead, ahead);

    const { failure, printed } = await backUp('a', 1);

    expect(failure).toBeUndefined();
    expect(printed).toContain('took the lock of pod-of-another, which has not been written for more than 2s');
  });

  it.each(['step dump', 'step upload', 'mv -T "$folder"', 'see_whole', 'mv -T "$root/$1"', 'lock_release'])(
    'one that stands still before "%s" until the other has its lock leaves a backup that was published last',
    async (command) => {
      using backups = await onVolume();
      const { backUp, at, published, expectRestorable } = backups;
      const { action, started } = standsStill(backups);
      await backUp('a', 1);

      const [, other] = await Promise.all([
        backUp('a', 2, at(command, action)),
        backUp('b', 3, at('lock_take', until(started))),
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
      using backups = await onVolume();
      const { backUp, at, folder, expectRestorable } = backups;
      const lock = join(folder, '.lock');
      await backUp('a', 1);

      // The other one begins when this one has the lock, and takes it when this one is gone.
      const [, other] = await Promise.all([
        backUp('a', 2, at(command, 'kill -KILL 0')),
        backUp('b', 3, at('lock_take', until(lock))),
      ]);

      expect(other.failure).toBeUndefined();
      await expectRestorable();
      // Both live, so neither may take the lock of the other, which a slow machine keeps from being renewed in 2 s.
      const alive = { BACKUP_LOCK_TIMEOUT: '2m' };
      const results = await Promise.all([backUp('a', 2, alive), backUp('b', 4, alive)]);
      expect(results.map(({ failure }) => failure)).toEqual([undefined, undefined]);
      await expectRestorable();
      expect(existsSync(lock)).toBe(false);
    },
  );
});

describe.concurrent('what is removed', { timeout: 240_000 }, () => {
  it('is never the backup that was just made, also when a clock was 30 minutes ahead', async () => {
    using backups = await onVolume();
    const { backUp, folder, env } = backups;
    const scheduledAt = new Date(Date.now() + 30 * 60_000).toISOString();
    await backUp('a', 1, {}, { scheduledAt });
    const now = new Date().toISOString();

    const { failure } = await backUp('a', 2, {}, { scheduledAt: now });

    expect(failure).toBeUndefined();
    expect(wholeBackups(folder)).toMatchObject([{ runId: 'backup-2' }, { runId: 'backup-1' }]);
    await expect(restoreFile(env)).resolves.toMatchObject({ stdout: expect.stringContaining('backup-2, taken at') });
    expect(readFileSync(join(folder, 'latest.json'), 'utf8')).toContain('"runId":"backup-2"');
  });

  it.each([
    ['is shorter', 'truncate --size=3'],
    ['is gone', 'rm'],
  ])('is nothing when the new dump %s', async (_, damage) => {
    using backups = await onVolume();
    const { backUp, at, folder } = backups;
    await backUp('a', 1);
    const path = join(folder, nameOf(2), 'dump.txt');

    const { failure } = await backUp('a', 2, at('step retain', `${damage} '${path}'`));

    expect(failure).toContain(`UploadDamaged: file, step retain: backup ${nameOf(2)} is not in`);
    expect(existsSync(join(folder, nameOf(1), 'manifest.json'))).toBe(true);
  });

  it('is compared with its manifest again by an attempt that finds its backup published', async () => {
    using backups = await onVolume();
    const { backUp, at, folder } = backups;
    await backUp('a', 1);
    await backUp('a', 2, at('step retain', 'kill -KILL 0'));
    writeFileSync(join(folder, nameOf(2), 'dump.txt'), 'bad data');

    const { failure } = await backUp('a', 2);

    expect(failure).toContain('UploadDamaged: file, step retain: ');
    expect(existsSync(join(folder, nameOf(1), 'manifest.json'))).toBe(true);
  });

  it('of a run of another Pod that did not end is what is older than BACKUP_TIMEOUT', async () => {
    using backups = await onVolume();
    const { backUp, folder } = backups;
    const old = (Date.now() - 2 * 3_600_000) / 1000;
    for (const name of ['young', 'old']) {
      const path = join(folder, '.incoming', `${name}.abcdefghabcdefgh`);
      mkdirSync(path, { recursive: true });
      if (name === 'old') utimesSync(path, old, old);
    }

    await backUp('a', 1, { BACKUP_TIMEOUT: '1h' });

    expect(existsSync(join(folder, '.incoming', 'young.abcdefghabcdefgh'))).toBe(true);
    expect(existsSync(join(folder, '.incoming', 'old.abcdefghabcdefgh'))).toBe(false);
  });

  it('is nothing where BACKUP_RETENTION is none', async () => {
    using backups = await onVolume();
    const { backUp, published } = backups;
    for (const day of [1, 2, 3]) await backUp('a', day, { BACKUP_RETENTION: 'none' });

    expect(published()).toEqual([nameOf(1), nameOf(2), nameOf(3)]);
  });
});

describe.concurrent('--list', { timeout: 120_000 }, () => {
  it('calls verified only what is there with the size it had', async () => {
    using backups = await onVolume();
    const { backUp, folder, env } = backups;
    for (const day of [1, 2, 3]) await backUp('a', day, { BACKUP_KEEP: '9' });
    rmSync(join(folder, nameOf(1), 'dump.txt'));
    truncateSync(join(folder, nameOf(2), 'dump.txt'), 3);

    const { stdout } = await restoreFile(env, '--list');

    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^\S+ {2}\S+ {2}8 bytes {2}MISSING: there is no dump.txt {2}/),
      expect.stringMatching(/^\S+ {2}\S+ {2}8 bytes {2}DAMAGED: dump.txt has 3 bytes {2}/),
      expect.stringMatching(/^\S+ {2}\S+ {2}8 bytes {2}verified: yes {2}/),
    ]);
  });
});
