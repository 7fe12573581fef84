import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { runProgram } from '../support/program.ts';

const TYPESCRIPT = `import { defineHook, environment, integer, secret, schedule } from 'hooklet';
const settings = environment({ BACKUP_KEEP: integer({ min: 1, default: 7 }), BACKUP_KEY: secret({ min: 8 }) });
export default defineHook({ bindings: { nightly: schedule('@daily') }, run() { console.log(settings.BACKUP_KEEP); } });
`;
const BASH = `#!/usr/bin/env bash
source "\${HOOKLET_SHELL_LIB:-/shell_lib.sh}"
environment::integer BACKUP_KEEP --default 7 --min 1
environment::secret BACKUP_KEY --min 8
environment::done
function __config__() { echo '{"configVersion": "v1", "onStartup": 1}'; }
function __main__() { :; }
hook::run "$@"
`;
const WRONG = { BACKUP_KEEP: '0', BACKUP_KEY: 'hunter2' };

describe('a hook whose environment has 2 problems', { timeout: 60_000 }, () => {
  it.each([
    { name: 'backup.ts', source: TYPESCRIPT },
    { name: 'backup.sh', source: BASH },
  ])('is broken with both of them in hooklet check: $name', async ({ name, source }) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, name), source, { mode: 0o755 });

    const { exitCode, stdout, stderr } = await runProgram(['check', folder.path], { env: WRONG });

    expect(exitCode).toBe(1);
    const text = stdout + stderr;
    expect(text).toContain('BACKUP_KEEP: is "0"; expected a whole number, at least 1');
    expect(text).toContain('BACKUP_KEY: has another value; expected a secret text, at least 8 characters');
    expect(text).not.toContain('hunter2');
    expect(await runProgram(['check', folder.path], { env: { BACKUP_KEY: 'long enough' } })).toMatchObject({
      exitCode: 0,
    });
  });

  it('is named in /readyz with the names of the variables alone, and in the log with all', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'backup.sh': BASH, 'other.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }) },
      env: WRONG,
    });
    await until(() => expect(operator.contexts('other.sh')).toHaveLength(1));

    const readyz = await (await fetch(`${operator.url()}/readyz?verbose`)).text();
    expect(readyz).toContain('its environment has 2 problem(s): BACKUP_KEEP, BACKUP_KEY');
    expect(readyz).not.toMatch(/hunter2|"0"/);
    const broken = operator.lines.find(({ message }) => message === 'hook is broken and does not run');
    expect(JSON.stringify(broken?.fields['err'])).toContain('BACKUP_KEEP');
    expect(String(broken?.fields['err'])).toContain('BACKUP_KEEP: is "0"; expected a whole number, at least 1');
    expect(String(broken?.fields['err'])).not.toContain('hunter2');
  });
});
