import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startExample } from '../support/example-rig.ts';
import { until } from '../support/operator-rig.ts';

describe('the first steps', { timeout: 60_000 }, () => {
  it('001-startup-shell prints a line when the operator starts', async () => {
    await using example = await startExample('001-startup-shell');

    await until(() => expect(example.printed()).toEqual(['hello, the operator has started']));
  });

  it('002-startup-python is a hook in Python', async () => {
    const { error, stdout } = spawnSync('python3', ['-c', 'import platform; print(platform.python_version())'], {
      encoding: 'utf8',
    });
    expect(error, 'this test needs python3 on the PATH').toBeUndefined();
    await using example = await startExample('002-startup-python');

    await until(() => expect(example.printed()).toEqual([`hello from Python ${stdout.trim()}, called for onStartup`]));
  });

  it('003-common-library shares functions between hooks, and the file with them is no hook', async () => {
    await using example = await startExample('003-common-library');

    await until(() =>
      expect(example.printed()).toEqual(['first: called for onStartup', 'second: also called for onStartup']),
    );
    const warned = example.operator.lines.filter(({ level }) => level === 'warn');
    expect(warned.map(({ message }) => message)).toEqual([
      'no executable permissions, chmod +x is required to run this hook',
    ]);
  });
});
