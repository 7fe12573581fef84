import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startExample } from '../support/example-rig.ts';
import { until } from './operator-rig.ts';

// Here and not beside its siblings, because those must pass where there is Node and nothing else.
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
