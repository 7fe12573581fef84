import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startExample } from '../support/example-rig.ts';
import { until } from './operator-rig.ts';

// In this folder because the tests of the other examples must pass where only Node is installed.
describe('the example in Python', () => {
  it('002-startup-python is a hook in Python', async () => {
    const { error, stdout } = spawnSync('python3', ['-c', 'import platform; print(platform.python_version())'], {
      encoding: 'utf8',
    });
    expect(error, 'this test needs python3 on the PATH').toBeUndefined();
    await using example = await startExample('002-startup-python');

    await until(() => expect(example.printed()).toEqual([`hello from Python ${stdout.trim()}, called for onStartup`]));
  });
});
