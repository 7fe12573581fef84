import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  backupFixtures,
  backupFolder,
  fileBackupHook,
  nameOf,
  backupSolution,
  tickOf,
} from '../support/backup-folder.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { readScriptConfig, runScript, type ScriptResult } from '../support/script-rig.ts';

let root: string;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  ({ root, env } = backupFolder());
});

async function backUp(day: number, more: Readonly<Record<string, string>> = {}): Promise<ScriptResult> {
  return runScript(fileBackupHook, { contexts: [tickOf(day)], env: { ...env, ...more } });
}

const targetFolder = (): string => join(root, 'backups', 'default', 'file');
const published = (): readonly string[] => readdirSync(targetFolder()).filter((name) => name.startsWith('2'));
const dumpOf = (day: number): string => readFileSync(join(targetFolder(), nameOf(day), 'dump.txt'), 'utf8');
const metricsOf = ({ metrics }: ScriptResult): readonly Readonly<Record<string, unknown>>[] =>
  metrics
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the config of the hooks', () => {
  it.each(['postgresql', 'redis', 'etcd'])('of %s is what the settings say', async (database) => {
    const config = parse(
      await readScriptConfig(join(backupSolution, 'hooks', database, 'backup.sh'), {
        BACKUP_CRONTAB: '0 4 * * *',
        BACKUP_TIME_ZONE: 'Europe/Berlin',
        POD_NAMESPACE: 'shop',
      }),
    );

    expect(config.schedule).toMatchObject([
      { crontab: '0 4 * * *', timeZone: 'Europe/Berlin', concurrency: 'queue', missed: 'latest', queue: 'backup' },
    ]);
    expect(config.kubernetes).toMatchObject([
      {
        kind: 'StatefulSet',
        nameSelector: { matchNames: [database] },
        namespace: { nameSelector: { matchNames: ['shop'] } },
      },
    ]);
  });
});

describe('a backup', { timeout: 60_000 }, () => {
  it('is published with what it is, and tells of it in metrics, also where hooklet is the only jq', async () => {
    const programs = { jq: '#!/bin/sh\nexec "$HOOKLET" jq "$@"\n' };
    const result = await runScript(fileBackupHook, { contexts: [tickOf(1)], env, programs });

    expect(result.failure).toBeUndefined();
    expect(published()).toEqual([nameOf(1)]);
    expect(dumpOf(1)).toBe('the data');
    const manifest = JSON.parse(readFileSync(join(targetFolder(), nameOf(1), 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      database: 'file',
      runId: 'backup-1',
      bytes: 8,
      verified: 'yes',
      file: 'dump.txt',
    });
    expect(JSON.parse(readFileSync(join(targetFolder(), 'latest.json'), 'utf8'))).toEqual(manifest);
    const values = Object.fromEntries(metricsOf(result).map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({ backup_last_size_bytes: 8, backup_last_verified: 1, backups_kept: 1 });
    expect(values['backup_last_success_timestamp_seconds']).toBe(Date.parse(manifest.takenAt) / 1000);
    expect(result.patch).toBe('');
    expect(existsSync(join(env['BACKUP_SCRATCH'] ?? '', 'file'))).toBe(false);
  });

  it('is made once, however often its run is tried', async () => {
    await backUp(1);
    writeFileSync(join(root, 'source'), 'other data');

    const { printed } = await backUp(1);

    expect(printed).toContain('this run has published its backup already');
    expect(published()).toEqual([nameOf(1)]);
    expect(dumpOf(1)).toBe('the data');
  });

  it('pushes the oldest out, but nothing that is not its own', async () => {
    const foreign = ['99991231T000000Z-foreign', '20240101T000000Z-foreign', 'notes'];
    for (const name of foreign) {
      mkdirSync(join(targetFolder(), name), { recursive: true });
      writeFileSync(join(targetFolder(), name, 'manifest.json'), '{"format":"something else"}');
    }
    for (const day of [1, 2, 3]) await backUp(day, { BACKUP_KEEP: '2' });

    const left = readdirSync(targetFolder()).filter((name) => !name.startsWith('.') && !name.endsWith('.json'));
    expect(left.toSorted()).toEqual([...foreign, nameOf(2), nameOf(3)].toSorted());
  });

  it('keeps all that are young enough, and one however old it is', async () => {
    await backUp(1, { BACKUP_KEEP: '1', BACKUP_KEEP_DAYS: '9999' });
    await backUp(2, { BACKUP_KEEP: '1', BACKUP_KEEP_DAYS: '9999' });
    expect(published()).toHaveLength(2);

    await backUp(3, { BACKUP_KEEP: '1' });

    expect(published()).toEqual([nameOf(3)]);
  });
});

describe('a clock that was wrong', { timeout: 60_000 }, () => {
  it('has no backup of a time to come taken for the newest, and none removed in its place', async () => {
    const scheduledAt = '2999-01-01T03:00:00Z';
    await runScript(fileBackupHook, { contexts: [tickOf(1, { scheduledAt, runId: 'early' })], env });
    for (const day of [2, 3]) await backUp(day, { BACKUP_KEEP: '1' });

    expect(published().toSorted()).toEqual([nameOf(3), '29990101T030000Z-early']);
    expect(readFileSync(join(targetFolder(), 'latest.json'), 'utf8')).toContain(nameOf(3));
  });
});

describe('a run that fails', { timeout: 60_000 }, () => {
  it('says why in an Event on what is backed up and in metrics, and leaves what there is', async () => {
    await backUp(1);

    const result = await runScript(fileBackupHook, {
      contexts: [tickOf(2, { attempt: 3 })],
      env: { ...env, SOURCE: join(root, 'absent'), POD_NAMESPACE: 'shop', BACKUP_OBJECT_NAME: 'db' },
    });

    expect(result.failure).toContain('DatabaseUnreachable: file, step check: there is no');
    expect(JSON.parse(result.patch)).toMatchObject({
      operation: 'Apply',
      ignoreHookError: true,
      object: {
        kind: 'Event',
        metadata: { namespace: 'shop', name: 'backup-file-backup-2-databaseunreachable' },
        involvedObject: { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'shop', name: 'db', uid: 'the-uid' },
        type: 'Warning',
        reason: 'BackupDatabaseUnreachable',
        count: 3,
      },
    });
    const labels = { name: 'file', reason: 'DatabaseUnreachable' };
    expect(metricsOf(result)).toMatchObject([
      { name: 'backup_failures_total', action: 'add', labels, ignoreHookError: true },
      { name: 'backup_failing', value: 1, group: 'backup-file-failing', labels, ignoreHookError: true },
      {
        name: 'backup_gave_up',
        value: 0,
        group: 'backup-file-failing',
        labels: { name: 'file' },
        ignoreHookError: true,
      },
    ]);
    expect(published()).toEqual([nameOf(1)]);
  });

  it('tells all that is wrong with the settings at once, when the operator starts', async () => {
    const contexts = [{ binding: 'guarded', type: 'Synchronization', objects: [] }];
    const wrong = { BACKUP_KEEP: '0', BACKUP_KEEP_DAYS: 'many', BACKUP_TARGET: 's3', S3_ENDPOINT: 'there', SOURCE: '' };

    const { failure } = await runScript(fileBackupHook, { contexts, env: { ...env, ...wrong } });

    expect(failure).toContain('BadSettings');
    const names = ['BACKUP_KEEP', 'BACKUP_KEEP_DAYS', 'S3_BUCKET', 'S3_ENDPOINT', 'AWS_ACCESS_KEY_ID', 'SOURCE'];
    for (const name of names) expect(failure).toContain(`${name} is `);
  });

  it.each([{ BACKUP_KEEP_FAILED: '08' }, { BACKUP_KEEP_FAILED_MIB: '089' }, { BACKUP_SCRATCH_LIMIT: '0999' }])(
    'takes no number that begins with 0, as in %o',
    async (wrong) => {
      const { failure } = await backUp(1, wrong);

      const [[name, value] = []] = Object.entries(wrong);
      expect(failure).toContain(`BadSettings: file, step start: ${name} is "${value}", expected a number`);
    },
  );

  it('does not let a name make a path that is too long for a socket', async () => {
    const { failure } = await backUp(1, { BACKUP_NAME: 'n'.repeat(63), BACKUP_SCRATCH: `/${'s'.repeat(30)}` });

    expect(failure).toContain('BACKUP_SCRATCH and BACKUP_NAME have 31 and 63 characters, expected 84');
  });

  it('asks a bucket whose backups it cannot list for nothing more', async () => {
    const calls = join(root, 'calls');
    const programs = {
      rclone: `#!/bin/sh\necho "$1" >> '${calls}'\n[ "$1" != sync ] || { echo 'x Failed to sync: odd' >&2; exit 1; }\n`,
    };
    const bucket = { BACKUP_TARGET: 's3', S3_BUCKET: 'backups', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
    const keys = { BACKUP_RETENTION: 'none' };

    const { failure } = await runScript(fileBackupHook, {
      contexts: [tickOf(1)],
      env: { ...env, ...bucket, ...keys },
      programs,
    });

    expect(failure).toContain('TargetFailed: file, step check: the store refuses: odd');
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual(['sync']);
  });

  it('names what went wrong also where nobody thought of it', async () => {
    const programs = { df: '#!/bin/sh\nexit 7\n' };

    const { failure } = await runScript(fileBackupHook, { contexts: [tickOf(1)], env, programs });

    expect(failure).toMatch(/Unexpected: file, step check: .*ended with exit code 7/);
  });
});

describe('a hook that is killed', { timeout: 60_000 }, () => {
  let before: string;

  beforeAll(async () => {
    const folder = temporaryFolder();
    before = join(folder.path, 'backups');
    writeFileSync(join(folder.path, 'source'), 'the data');
    const first = { SOLUTION: backupSolution, SOURCE: join(folder.path, 'source'), BACKUP_DIR: before };
    await runScript(fileBackupHook, {
      contexts: [tickOf(1)],
      env: { ...first, BACKUP_SCRATCH: folder.path.slice(0, 60) },
    });
    return () => folder[Symbol.dispose]();
  });

  it.each([
    'ln -T',
    'mark_owner',
    'step dump',
    'step verify',
    'keep_dump',
    'step upload',
    'try TargetFailed',
    'step compare',
    'sync',
    'mv -T "$folder"',
    'step latest',
    'step retain',
    'see_whole',
    'mv -T "$root/$1"',
    'report_done',
    'target_delete .lock',
  ])('before "%s" leaves the last good backup, and the next attempt makes the new one', async (command) => {
    cpSync(before, join(root, 'backups'), { recursive: true });
    writeFileSync(join(root, 'source'), 'new data');
    const killer = { BASH_ENV: join(backupFixtures, 'at-command.sh'), AT_COMMAND: command, THEN: 'kill -KILL 0' };

    const { failure } = await backUp(2, { BACKUP_KEEP: '1', ...killer });

    expect(failure).toContain('SIGKILL');
    expect(readdirSync(env['TMPDIR'] ?? '').filter((name) => name.startsWith('tmp.'))).toEqual([]);
    const between = published();
    expect(between.length).toBeGreaterThan(0);
    for (const name of between) expect(readdirSync(join(targetFolder(), name))).toEqual(['dump.txt', 'manifest.json']);

    expect((await backUp(2, { BACKUP_KEEP: '1' })).failure).toBeUndefined();

    expect(published()).toEqual([nameOf(2)]);
    expect(dumpOf(2)).toBe('new data');
    expect(readdirSync(join(targetFolder(), '.incoming'))).toEqual([]);
    expect(readFileSync(join(targetFolder(), 'latest.json'), 'utf8')).toContain(nameOf(2));
  });
});
