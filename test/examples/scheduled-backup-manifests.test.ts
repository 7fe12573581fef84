import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { backupFolder, fileBackupHook, nameOf, restoreFile, tickOf } from '../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../support/script-rig.ts';

type Env = Readonly<Record<string, string>>;

const CHECK = { binding: 'guarded', type: 'Synchronization', objects: [{ filterResult: 'the-uid' }] };

let root: string;
let env: Env;

beforeEach(() => {
  ({ root, env } = backupFolder());
});

async function run(context: object, more: Env = {}): Promise<ScriptResult> {
  return runScript(fileBackupHook, { contexts: [context], env: { ...env, ...more } });
}

const manifestOf = (day: number): string => join(root, 'backups', 'default', 'file', nameOf(day), 'manifest.json');

/** Writes what anybody may who can write to the folder: the manifest of a day with other fields. */
function forge(day: number, fields: object): void {
  const before = JSON.parse(readFileSync(manifestOf(day), 'utf8'));
  writeFileSync(manifestOf(day), JSON.stringify({ ...before, ...fields }));
}

const toldOf = ({ printed }: ScriptResult): readonly unknown[] =>
  printed.filter((line) => String(line).includes('unreadable manifest'));

describe('a manifest that somebody else has written', { timeout: 120_000 }, () => {
  it.each([
    ['a time that is none', { takenAt: 'soon' }],
    ['a day that is none', { takenAt: '2024-13-45T00:00:00Z' }],
    ['a size that is none', { bytes: 'many' }],
    ['a size below nothing', { bytes: -1 }],
    ['counts that are none', { counts: [1] }],
    ['recipients that are none', { encryption: { recipients: 'age1' } }],
  ])('with %s is told once, and stops neither the start nor a backup', async (_, fields) => {
    await run(tickOf(1));
    await run(tickOf(2));
    forge(2, fields);

    const check = await run(CHECK);
    const next = await run(tickOf(3));

    const told = `unreadable manifest ${nameOf(2)}: it is not taken for a backup`;
    expect([check, next].map(({ failure }) => failure)).toEqual([undefined, undefined]);
    expect([check, next].map(toldOf)).toEqual([[told], [told]]);
    expect(check.metrics).toContain('"backup_last_size_bytes","action":"set","value":8');
    expect(next.metrics).toMatch(/"backups_kept", "action": "set", "value": 2/);
  });

  it.each([
    ['is cut off', (): void => writeFileSync(manifestOf(2), readFileSync(manifestOf(2), 'utf8').slice(0, -9))],
    ['has a field twice', (): void => writeFileSync(manifestOf(2), twice(readFileSync(manifestOf(2), 'utf8')))],
    ['is too large', (): void => forge(2, { version: 'x'.repeat(65_536) })],
    [
      'is a pipe',
      (): void => {
        rmSync(manifestOf(2));
        execFileSync('mkfifo', [manifestOf(2)]);
      },
    ],
  ])('and %s is told once, and stops nothing', async (_, damage) => {
    await run(tickOf(1));
    await run(tickOf(2));
    damage();

    const check = await run(CHECK);

    expect(check.failure).toBeUndefined();
    expect(toldOf(check)).toHaveLength(1);
    expect((await run(tickOf(3))).failure).toBeUndefined();
    expect((await restoreFile(env)).stdout).toMatch(/the data$/);
  });

  it('does not hide the others in a list, nor tell the terminal what to do', async () => {
    for (const day of [1, 2, 3]) await run(tickOf(day));
    forge(2, { bytes: {} });
    forge(3, { server: '\u001b[2Jgone', failure: 'a\u0007\u009b' });

    const { stdout, stderr } = await restoreFile(env, '--list');

    expect(stderr).toContain(`unreadable manifest ${nameOf(2)}`);
    expect(stdout).toContain(nameOf(1));
    expect(stdout).toContain(nameOf(3));
    expect(stdout).toContain('from version \\u001b[2Jgone');
    expect(stdout).toContain('because: a\\u0007\\u009b');
  });

  it.each(['owner.json', '.lock'])('or that is a pipe named %s is told, and nobody waits for it', async (name) => {
    mkdirSync(join(root, 'backups', 'default', 'file'), { recursive: true });
    execFileSync('mkfifo', [join(root, 'backups', 'default', 'file', name)]);

    const { failure } = await run(tickOf(1));

    expect(failure).toContain(`TargetFailed: file, step`);
    expect(failure).toContain(`${name} in the volume at ${join(root, 'backups')} was not written by a backup`);
  });
});

function twice(text: string): string {
  return text.replace('"file":', '"takenAt":"soon","file":');
}
