import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { createRunFolder } from '../../src/runner/run-folder.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const deadPid = (): number => spawnSync('true').pid;

describe('createRunFolder', () => {
  it('makes a folder that only its owner may enter, and the temporary folder where it is missing', () => {
    using tmp = temporaryFolder();

    const folder = createRunFolder({ tmpDir: join(tmp.path, 'a', 'b'), keepTmpFiles: false });

    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  });

  it('removes the folders of operators that are dead', () => {
    using tmp = temporaryFolder();
    const stale = join(tmp.path, `run-${deadPid()}-abc`);
    mkdirSync(join(stale, 'hook-1'), { recursive: true });

    createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    expect(existsSync(stale)).toBe(false);
  });

  it('removes the folder of a predecessor with the same process id, as in a restarted container', () => {
    using tmp = temporaryFolder();
    const stale = join(tmp.path, `run-${process.pid}-abc`);
    mkdirSync(stale);
    utimesSync(stale, new Date(0), new Date(0));

    createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    expect(existsSync(stale)).toBe(false);
  });

  it.each([`run-${process.ppid}-abc`, 'run-away', 'other'])('leaves %s alone', (name) => {
    using tmp = temporaryFolder();
    mkdirSync(join(tmp.path, name));

    createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    expect(existsSync(join(tmp.path, name))).toBe(true);
  });

  it('keeps everything when files are kept', () => {
    using tmp = temporaryFolder();
    mkdirSync(join(tmp.path, `run-${deadPid()}-abc`));

    createRunFolder({ tmpDir: tmp.path, keepTmpFiles: true }).remove();

    expect(readdirSync(tmp.path)).toHaveLength(2);
  });

  it('removes its folder with all that is in it', () => {
    using tmp = temporaryFolder();
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });
    writeFileSync(join(folder.path, 'file'), '');

    folder.remove();

    expect(readdirSync(tmp.path)).toEqual([]);
  });

  it.each([
    ['a file', (folder: string) => join(folder, 'file')],
    ['below a file', (folder: string) => join(folder, 'file', 'a')],
    ['where no folder can be made', () => '/proc/a/b'],
  ])('says of a path that is %s that it cannot be used, why, and what to do', (_, pathIn) => {
    using tmp = temporaryFolder();
    const tmpDir = pathIn(tmp.path);
    writeFileSync(join(tmp.path, 'file'), '');

    const create = () => createRunFolder({ tmpDir, keepTmpFiles: false });

    expect(create).toThrow(UsageError);
    expect(create).toThrow(`the temporary folder ${tmpDir} cannot be used: E`);
    expect(create).toThrow(/; give another with --tmp-dir$/);
  });
});
