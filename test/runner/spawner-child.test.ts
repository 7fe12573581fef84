import { describe, expect, it } from 'vitest';
import { startSpawnerChild } from '../../src/runner/spawner-child.ts';
import { brokenEntry, temporaryFolder } from '../support/hook-rig.ts';

describe('startSpawnerChild', () => {
  it('starts a process that ends with its channel, also when it was never set up', async () => {
    const spawner = startSpawnerChild(process.env);

    spawner.channel?.end();

    expect(await spawner.ended).toBe('exit code 0');
  });

  it('says how a process ended, also one that could not begin', async () => {
    using folder = temporaryFolder();

    const { ended } = startSpawnerChild(process.env, brokenEntry(folder.path));

    expect(await ended).toBe('exit code 1');
  });
});
