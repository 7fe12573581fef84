import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { HookFile } from '../../src/hook/discover.ts';
import { beginLoading, hookLoader } from '../../src/units/hook-loading.ts';
import { never, temporaryFolder } from '../support/hook-rig.ts';

const CONFIG = 'configVersion: v1\nonStartup: 1\n';

function folderWith(...names: readonly string[]) {
  const folder = temporaryFolder();
  for (const name of names) {
    writeFileSync(join(folder.path, name), '#!/bin/sh\n');
    chmodSync(join(folder.path, name), 0o755);
  }
  return folder;
}

/** Hooks in `configs` print the config given there; all others fail. */
function loaderOf(configs: Readonly<Record<string, string>>, asked: string[] = []) {
  const readConfig = async ({ name }: HookFile) => {
    asked.push(name);
    return {
      exitCode: configs[name] === undefined ? 1 : 0,
      stdout: configs[name] ?? '',
      stderr: '',
      timedOut: false,
      usage: {},
    };
  };
  return hookLoader({ readConfig }, never);
}

describe('beginLoading', () => {
  it('asks each hook of the folder once, whether or not anybody waits', async () => {
    using folder = folderWith('a.sh', 'b.sh');
    const asked: string[] = [];

    const { discovery, hooks } = beginLoading({ hooksDir: folder.path }, loaderOf({ 'a.sh': CONFIG }, asked));
    const [first, second] = [await hooks, await hooks];

    expect((await discovery).files.map(({ name }) => name)).toEqual(['a.sh', 'b.sh']);
    expect(first.hooks.map(({ name }) => name)).toEqual(['a.sh']);
    expect(first.broken.map(({ hook }) => hook)).toEqual(['b.sh']);
    expect(second).toBe(first);
    expect(asked).toEqual(['a.sh', 'b.sh']);
  });

  it('rejects for who waits when the folder cannot be read, and harms nobody else', async () => {
    using folder = folderWith();

    const { discovery, hooks } = beginLoading({ hooksDir: join(folder.path, 'missing') }, loaderOf({}));

    await expect(discovery).rejects.toThrow(UsageError);
    await expect(hooks).rejects.toThrow(UsageError);
  });
});
