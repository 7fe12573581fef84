import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/hook-rig.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const run = promisify(execFile);
const OLD_NODE = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`;

it('an older Node is told what is needed', async () => {
  const ended = run(process.execPath, ['--import', `data:text/javascript,${OLD_NODE}`, main, 'version']);

  await expect(ended).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'hooklet: needs Node 24 or later, this is 20.1.0; put a newer one first on the PATH, or run npx hooklet, which installs one\n',
  });
});

describe('what was compiled', () => {
  const own = 'node-compile-cache';
  const start = async (tmpDir: string) => {
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: undefined,
      NODE_DISABLE_COMPILE_CACHE: undefined,
      TMPDIR: tmpDir,
    };
    await run(process.execPath, [main, 'version'], { env });
  };

  it('is kept in a folder that only its user may enter', async () => {
    using tmp = temporaryFolder();

    await start(tmp.path);

    expect(readdirSync(tmp.path)).toEqual([own]);
    expect(statSync(join(tmp.path, own)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(tmp.path, own))).toHaveLength(1);
  });

  it.each<[where: string, prepare: (folder: string, target: string) => void]>([
    ['that others may write', (folder) => (mkdirSync(folder), chmodSync(folder, 0o777))],
    ['that others may write, with the sticky bit', (folder) => (mkdirSync(folder), chmodSync(folder, 0o1777))],
    ['behind a link', (folder, target) => symlinkSync(target, folder)],
  ])('is neither kept in nor read from a folder %s', async (_where, prepare) => {
    using tmp = temporaryFolder();
    using target = temporaryFolder();
    prepare(join(tmp.path, own), target.path);

    await start(tmp.path);

    expect(readdirSync(join(tmp.path, own))).toEqual([]);
    expect(readdirSync(tmp.path)).toEqual([own]);
  });

  it('is kept nowhere where others may replace its folder', async () => {
    using tmp = temporaryFolder();
    const open = join(tmp.path, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);

    await start(open);

    expect(readdirSync(open)).toEqual([]);
  });
});
