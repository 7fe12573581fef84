import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { shellLibraryFile } from '../../src/runner/shell-library.ts';
import { fixtureHook, hookRig, never, temporaryFolder } from '../support/hook-rig.ts';

describe('shellLibraryFile', () => {
  it('finds the library of the sources', () => {
    expect(shellLibraryFile()).toBe(fileURLToPath(new URL('../../frameworks/shell_lib.sh', import.meta.url)));
  });

  it.each(['main.js', 'chunks/start.js'])('finds that of the package from %s', (module) => {
    using tmp = temporaryFolder();
    mkdirSync(join(tmp.path, 'chunks'));
    writeFileSync(join(tmp.path, 'shell_lib.sh'), '');

    expect(shellLibraryFile(pathToFileURL(join(tmp.path, module)).href)).toBe(join(tmp.path, 'shell_lib.sh'));
  });

  it('gives way to one in the environment of hooklet', async () => {
    await using rig = hookRig({ env: { HOOKLET_SHELL_LIB: '/shell_lib.sh' } });

    const run = await rig.runner.readConfig(fixtureHook('run-prints-config.sh'), never);

    expect(run.stdout).toContain('library: /shell_lib.sh\n');
  });
});
