import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/**
 * Writes what anybody with access to the folder can: a manifest of that day, like the first one except for some
 * fields.
 */
function forge(day: number, fields: object): void {
  mkdirSync(dirname(manifestOf(day)), { recursive: true });
  const first = JSON.parse(readFileSync(manifestOf(1), 'utf8'));
  writeFileSync(manifestOf(day), JSON.stringify({ ...first, backup: nameOf(day), ...fields }));
}

/** Changes the text of a manifest. */
function damage(day: number, change: (text: string) => string): void {
  forge(day, {});
  writeFileSync(manifestOf(day), change(readFileSync(manifestOf(day), 'utf8')));
}

const toldOf = ({ printed }: ScriptResult): readonly string[] =>
  printed.map(String).filter((line) => line.includes('unreadable manifest'));

describe('a manifest that somebody else has written', { timeout: 120_000 }, () => {
  const BAD: Readonly<Record<string, (day: number) => void>> = {
    'a time that is none': (day) => forge(day, { takenAt: 'soon' }),
    'a day that is none': (day) => forge(day, { takenAt: '2024-13-45T00:00:00Z' }),
    'a size that is none': (day) => forge(day, { bytes: 'many' }),
    'a size below nothing': (day) => forge(day, { bytes: -1 }),
    'counts that are none': (day) => forge(day, { counts: [1] }),
    'recipients that are none': (day) => forge(day, { encryption: { recipients: 'age1' } }),
    'half of it': (day) => damage(day, (text) => text.slice(0, -9)),
    'a field twice': (day) => damage(day, (text) => text.replace('"file":', '"takenAt":"soon","file":')),
    'too much': (day) => forge(day, { version: 'x'.repeat(65_536) }),
    'a pipe in its place': (day) => {
      forge(day, {});
      rmSync(manifestOf(day));
      execFileSync('mkfifo', [manifestOf(day)]);
    },
  };

  it('and that cannot be is told once in each run, and stops neither the start, nor a backup, nor a restore', async () => {
    await run(tickOf(1));
    const days = Object.values(BAD).map((write, index) => {
      write(index + 2);
      return index + 2;
    });

    const check = await run(CHECK);
    const next = await run(tickOf(20));

    const told = days.map((day) => `unreadable manifest ${nameOf(day)}: it is not taken for a backup`);
    expect([check, next].map(({ failure }) => failure)).toEqual([undefined, undefined]);
    expect([check, next].map((one) => new Set(toldOf(one)))).toEqual([new Set(told), new Set(told)]);
    expect([check, next].map((one) => toldOf(one).length)).toEqual([told.length, told.length]);
    expect(check.metrics).toContain('"backup_last_size_bytes","action":"set","value":8');
    expect(next.metrics).toMatch(/"backups_kept", "action": "set", "value": 2/);
    expect((await restoreFile(env)).stdout).toMatch(/the data$/);
  });

  it('does not hide the others in a list, nor tell the terminal what to do', async () => {
    await run(tickOf(1));
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
