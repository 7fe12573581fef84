import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openWorlds } from '../../src/scenario/open-worlds.ts';
import type { Given } from '../../src/scenario/world.ts';
import { builtFolder } from '../support/built-program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { shellHook, writeHooks } from '../support/world-hooks.ts';

it('3 worlds in 3 processes, one after the other, each have a folder that goes with them', async () => {
  using folder = temporaryFolder();
  using tmp = temporaryFolder();
  vi.stubEnv('TMPDIR', tmp.path);
  onTestFinished(() => void vi.unstubAllEnvs());
  writeHooks(folder.path, { 'a.sh': shellHook({ configVersion: 'v1', onStartup: 1 }) });
  const given: Given = { hooksDir: folder.path, objects: [], startMs: 0, env: {} };
  const entry = join(builtFolder(), 'world-process.js');
  const left = (): readonly string[] => readdirSync(tmp.path).filter((name) => name.startsWith('hooklet-worlds-'));
  {
    await using worlds = openWorlds({ processes: 1, entry, perProcess: 1 });
    for (let count = 0; count < 3; count++) {
      await using world = await worlds.open(given, new AbortController().signal);
      expect(world.timeline.filter(({ type }) => type === 'run-ended')).toHaveLength(1);
      expect(left().length).toBeGreaterThan(0);
    }
  }
  expect(left()).toEqual([]);
});
