import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
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

const ERROR = 'pg_restore: error: could not execute query: ERROR:  extension "vector" is not available';
// Prints like pg_restore: a long statement follows the line with the error.
const VERIFIER = `#!/bin/sh
echo '${ERROR}' >&2
for n in 1 2 3 4 5 6 7 8 9; do echo "Command was: CREATE EXTENSION line $n of a long statement" >&2; done
exit 1
`;
const DAMAGING_DD = `#!/bin/sh
case "$*" in
  *iflag=nocache*count=0*) for word; do case $word in if=*) echo damaged > "\${word#if=}" ;; esac; done ;;
esac
PATH=\${PATH#*:}; exec dd "$@"
`;

let root: string;
let env: Env;

beforeEach(() => {
  ({ root, env } = backupFolder());
});

async function attempt(day: number, number: number, more: Env = {}, programs: Env = {}): Promise<ScriptResult> {
  const contexts = [tickOf(day, { attempt: number })];
  return runScript(fileBackupHook, { contexts, env: { ...env, ...more }, programs });
}

const folder = (): string => join(root, 'backups', 'default', 'file');
const failedFolder = (): string => join(folder(), 'failed');
const messageOf = ({ patch }: ScriptResult): string => JSON.parse(patch).object.message;
const gaveUp = ({ metrics }: ScriptResult): unknown =>
  metrics
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ name }) => name === 'backup_gave_up').value;

describe('a dump that can never be verified', { timeout: 180_000 }, () => {
  const failing = { BACKUP_ATTEMPTS: '3', VERIFIER: 'verifier' };
  const programs = { verifier: VERIFIER };

  it('is made 3 times for one tick when BACKUP_ATTEMPTS is 3, and again for the next', async () => {
    const results: ScriptResult[] = [];
    for (const number of [1, 2, 3, 4, 5]) results.push(await attempt(1, number, failing, programs));
    const next = await attempt(2, 1, failing, programs);

    const dumped = [...results, next].map(({ printed }) => printed.includes('step dump'));
    expect(dumped).toEqual([true, true, true, false, false, true]);
    expect([...results, next].map(gaveUp)).toEqual([0, 0, 0, 1, 1, 0]);
    expect(messageOf(results[4] as ScriptResult)).toContain(
      'gave up after 3 dumps of this run: the next tick begins anew',
    );
    expect(results.map(({ patch }) => JSON.parse(patch).object.reason)).toEqual(
      Array.from({ length: 5 }, () => 'BackupVerifyFailed'),
    );
    for (const result of results) expect(messageOf(result)).toContain(ERROR);
  });

  it('is kept outside of retention, the newest 1 of them, and can be had by its name', async () => {
    await attempt(1, 1);
    writeFileSync(join(root, 'source'), 'newer data');
    const first = await attempt(2, 1, failing, programs);
    await attempt(2, 2, failing, programs);
    expect(readdirSync(failedFolder())).toEqual([nameOf(2)]);
    await attempt(3, 1, failing, programs);
    await attempt(4, 1, { BACKUP_KEEP: '1' });

    expect(messageOf(first)).toContain(`it is kept as failed/${nameOf(2)}`);
    expect(wholeBackups(folder())).toMatchObject([{ backup: nameOf(4), verified: 'yes' }]);
    expect(wholeBackups(failedFolder())).toMatchObject([{ backup: nameOf(3), verified: 'failed' }]);
    const { stdout } = await restoreFile(env, '--list');
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${nameOf(4)} .*verified: yes`)),
      expect.stringMatching(new RegExp(`^${nameOf(3)} .*verified: failed .*because: it cannot be restored: ${ERROR}`)),
    ]);
    const restored = await restoreFile(env, '--backup', nameOf(3));
    expect(restored.stdout).toMatch(/newer data$/);
    expect(restored.stderr).toContain('could not be verified when it was made');
  });

  it('is not kept when it is larger than people want', async () => {
    const result = await attempt(1, 1, { ...failing, BACKUP_KEEP_FAILED_MIB: '0' }, programs);

    expect(messageOf(result)).toContain('it is not kept: it has 8 bytes, and BACKUP_KEEP_FAILED_MIB is 0');
    expect(wholeBackups(failedFolder())).toEqual([]);
  });
});

describe('a dump that was good and did not arrive', { timeout: 180_000 }, () => {
  it('is sent by the next attempt, and not made again, however few may be made', async () => {
    const few = { BACKUP_ATTEMPTS: '1' };
    const failed = await attempt(1, 1, few, { dd: DAMAGING_DD });
    writeFileSync(join(root, 'source'), 'newer data');

    const sent = await attempt(1, 2, few);

    expect(failed.failure).toContain('UploadDamaged: file, step compare: ');
    expect(sent.failure).toBeUndefined();
    expect(sent.printed).not.toContain('step dump');
    expect(readFileSync(join(folder(), nameOf(1), 'dump.txt'), 'utf8')).toBe('the data');
    expect(readdirSync(env['BACKUP_SCRATCH'] ?? '').toSorted()).toEqual(['file.ended', 'file.identity', 'file.run']);
  });

  it.each([
    ['is of another run', 2, (): void => {}],
    ['was changed', 1, (): void => writeFileSync(join(env['BACKUP_SCRATCH'] ?? '', 'file.made', 'dump.txt'), 'other')],
  ])('is made again when it %s', async (_, day, change) => {
    await attempt(1, 1, {}, { dd: DAMAGING_DD });
    change();

    const { printed } = await attempt(day, 2);

    expect(printed).toContain('step dump');
    expect(wholeBackups(folder())).toMatchObject([{ backup: nameOf(day), bytes: 8 }]);
  });
});

describe('a tick', { timeout: 180_000 }, () => {
  it('that came due while the backup before was made is not followed by another at once', async () => {
    const due = Math.floor(Date.now() / 1000) - 10;
    await attempt(1, 1);
    writeFileSync(join(env['BACKUP_SCRATCH'] ?? '', 'file.ended'), `${due - 5} ${due + 5}\n`);
    const contexts = [tickOf(1, { scheduledAt: new Date(due * 1000).toISOString() })];

    const { printed, failure } = await runScript(fileBackupHook, { contexts, env });

    expect(failure).toBeUndefined();
    expect(printed).toContain('it came due while the backup before it was made: nothing to do');
    expect(wholeBackups(folder())).toHaveLength(1);
  });
});
