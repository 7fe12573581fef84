import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  backupFixtures,
  backupFolder,
  fileBackupHook,
  nameOf,
  backupSolution,
  tickOf,
} from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';

const MIB = 1024 * 1024;
// The bytes that the scripts reserve for the logs of the Pod.
const LOGS = 32 * MIB;
// Takes the place of the program that makes the dump, and writes without end.
const ENDLESS_CP = `#!/bin/bash
[[ $1 == "$SOURCE" ]] || { PATH=\${PATH#*:}; exec cp "$@"; }
cat /dev/zero > "$2"
`;

let root: string;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  ({ root, env } = backupFolder());
});

async function run(context: object, more: Readonly<Record<string, string>>, programs = {}): Promise<ScriptResult> {
  return runScript(fileBackupHook, { contexts: [context], env: { ...env, ...more }, programs });
}

const published = (): readonly string[] =>
  existsSync(join(root, 'backups', 'default', 'file'))
    ? readdirSync(join(root, 'backups', 'default', 'file')).filter((name) => name.startsWith('2'))
    : [];

describe('a backup that the Pod has no room for', { timeout: 60_000 }, () => {
  it('is refused before its dump is begun, by what all emptyDirs together may hold', async () => {
    writeFileSync(join(root, 'source'), Buffer.alloc(8 * MIB));

    const { failure, printed, patch } = await run(tickOf(1), { BACKUP_SCRATCH_LIMIT: String(LOGS + 15 * MIB) });

    expect(failure).toMatch(
      /ScratchFull: file, step check: .* may need 16777216 bytes .* the Pod may hold 49283072 bytes/,
    );
    expect(failure).toContain('raise limits.ephemeral-storage of the Deployment');
    expect(printed).not.toContain('step dump');
    expect(JSON.parse(patch).object.reason).toBe('BackupScratchFull');
  });

  it('is made when there is room for it', async () => {
    writeFileSync(join(root, 'source'), Buffer.alloc(8 * MIB));

    const { failure, patch } = await run(tickOf(1), { BACKUP_SCRATCH_LIMIT: String(LOGS + 60 * MIB) });

    expect(failure).toBeUndefined();
    expect(patch).toBe('');
    expect(published()).toHaveLength(1);
  });

  it.each([
    ['when it is tried out', { binding: 'guarded', type: 'Synchronization', objects: [{ filterResult: 'the-uid' }] }],
    ['after each backup', tickOf(1)],
  ])('is told in an Event %s, while it still fits', async (_, context) => {
    writeFileSync(join(root, 'source'), Buffer.alloc(8 * MIB));

    const { failure, patch } = await run(context, { BACKUP_SCRATCH_LIMIT: String(LOGS + 20 * MIB) });

    expect(failure).toBeUndefined();
    expect(JSON.parse(patch).object).toMatchObject({
      reason: 'BackupRoomScarce',
      type: 'Warning',
      involvedObject: { uid: 'the-uid' },
      message: expect.stringMatching(/may need 16777216 bytes .* raise limits\.ephemeral-storage/),
    });
  });

  it('is stopped with a reason when it grows beyond what was expected', async () => {
    const limit = LOGS + 64 * MIB;

    const { failure, patch } = await run(tickOf(1), { BACKUP_SCRATCH_LIMIT: String(limit) }, { cp: ENDLESS_CP });

    expect(failure).toMatch(
      /ScratchFull: file, step dump: it takes more room in \S+ than there is: .*the run was stopped/,
    );
    expect(JSON.parse(patch).object.reason).toBe('BackupScratchFull');
    expect(published()).toEqual([]);
    expect(existsSync(join(env['BACKUP_SCRATCH'] ?? '', 'file'))).toBe(false);
  });

  it('is told so also where nothing at all can be written any more', async () => {
    const full = `#!/bin/sh\ncase "$*" in *holder*) exit 2 ;; esac\nexec "$HOOKLET" jq "$@"\n`;
    const head = `#!/bin/sh\n[ "$2" != 65536 ] || exit 1\nPATH=\${PATH#*:}; exec head "$@"\n`;

    const { failure } = await run(tickOf(1), {}, { jq: full, head });

    expect(failure).toMatch(/ScratchFull: file, step lock: .*nothing can be written to \S+ any more: it is full/);
  });

  it('is refused settings that are no number of bytes', async () => {
    const { failure } = await run(tickOf(1), { BACKUP_SCRATCH_LIMIT: '20Gi' });

    expect(failure).toContain('BACKUP_SCRATCH_LIMIT is "20Gi", expected a number of bytes');
  });
});

describe('a volume without room for one more backup', { timeout: 60_000 }, () => {
  it.each([
    ['when it is tried out', { binding: 'guarded', type: 'Synchronization', objects: [{ filterResult: 'the-uid' }] }],
    ['before the dump', tickOf(3)],
  ])('is told %s, with what a person may remove', async (_, context) => {
    for (const day of [1, 2]) await run(tickOf(day), {});
    const df =
      '#!/bin/sh\n[ "$1" != --output=avail ] || { echo Avail; echo 4; exit; }\nPATH=${PATH#*:}; exec df "$@"\n';

    const { failure, printed } = await run(context, { BACKUP_KEEP: '2' }, { df });

    expect(failure).toContain('TargetFull: file, step check: ');
    expect(failure).toContain(
      'has 4 bytes free, the newest backup has 8: it needs room for BACKUP_KEEP + 1 backups, 3',
    );
    expect(failure).toContain(`remove by hand the oldest one, ${join(root, 'backups', 'default', 'file', nameOf(1))}`);
    expect(printed).not.toContain('step dump');
  });
});

describe('of 2 runs with one scratch folder', { timeout: 60_000 }, () => {
  it('the second one is refused, and the first one is not disturbed', async () => {
    const slow = { BASH_ENV: join(backupFixtures, 'at-command.sh'), AT_COMMAND: 'step verify', THEN: 'sleep 12' };
    const first = run(tickOf(1), slow);
    const dump = join(env['BACKUP_SCRATCH'] ?? '', 'file', 'dump.txt');
    await expect.poll(() => existsSync(dump), { timeout: 10_000 }).toBe(true);

    const { failure } = await run(tickOf(2), { BACKUP_DIR: join(root, 'others') });

    expect(failure).toContain('ScratchFailed: file, step start: another run uses ');
    expect(failure).toContain('set another BACKUP_SCRATCH');
    expect((await first).failure).toBeUndefined();
    expect(published()).toEqual([nameOf(1)]);
  });
});

describe('the Deployment of the backups', () => {
  it('has one limit for all of its emptyDirs, which the hook knows', () => {
    const path = join(backupSolution, 'manifests', 'base', 'deployment.yaml');
    const { containers, volumes } = parse(readFileSync(path, 'utf8')).spec.template.spec;

    expect(containers[0].resources.limits).toHaveProperty('ephemeral-storage');
    expect(containers[0].env).toContainEqual({
      name: 'BACKUP_SCRATCH_LIMIT',
      valueFrom: { resourceFieldRef: { resource: 'limits.ephemeral-storage' } },
    });
    expect(volumes).toEqual([
      { name: 'tmp', emptyDir: {} },
      { name: 'scratch', emptyDir: {} },
    ]);
  });
});
