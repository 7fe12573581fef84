import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { holderOf } from '../../src/runner/folder-lock.ts';
import { createRunFolder } from '../../src/runner/run-folder.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';

const MODULE = new URL('../../src/runner/run-folder.ts', import.meta.url).href;
const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);

type End = 'process.exit(1)' | "process.kill(process.pid, 'SIGKILL')" | '';

/** The folder of an operator that ended without removing it. */
function leaveFolder(tmpDir: string, end: End): string {
  const script = `const { createRunFolder } = await import('${MODULE}');
    process.stdout.write(createRunFolder({ tmpDir: '${tmpDir}', keepTmpFiles: false }).path);
    setImmediate(() => { ${end} });`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', `${script}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function leftFolder(tmpDir: string, end: End = "process.kill(process.pid, 'SIGKILL')"): string {
  try {
    return leaveFolder(tmpDir, end);
  } catch (error) {
    // The process is killed by its own signal; its output is part of the error.
    if (error instanceof Error && 'stdout' in error) return String(error.stdout);
    throw error;
  }
}

describe('createRunFolder', () => {
  it('makes a folder that only its owner may enter, and the temporary folder where it is missing', () => {
    using tmp = temporaryFolder();

    const folder = createRunFolder({ tmpDir: join(tmp.path, 'a', 'b'), keepTmpFiles: false });

    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    folder.remove();
  });

  it.each<[how: string, end: End]>([
    ['were killed', "process.kill(process.pid, 'SIGKILL')"],
    ['crashed', 'process.exit(1)'],
    ['ended', ''],
  ])('removes the folders of operators that %s', async (_how, end) => {
    using tmp = temporaryFolder();
    const stale = leftFolder(tmp.path, end);
    mkdirSync(join(stale, 'hook-1'), { recursive: true });
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    await folder.sweep();

    expect(readdirSync(tmp.path)).toEqual([basename(folder.path)]);
    folder.remove();
  });

  it('removes the folder of a dead operator into which something is still written, when that has ended', async () => {
    using tmp = temporaryFolder();
    const stale = leftFolder(tmp.path);
    const script = 'i=0; while [ -d "$1" ]; do i=$((i + 1)); : > "$1/$i"; done 2>/dev/null; sleep 600';
    const writer = spawn('sh', ['-c', script, 'sh', stale], { stdio: 'ignore' });
    onTestFinished(() => void writer.kill('SIGKILL'));
    await until(() => expect(readdirSync(stale).length).toBeGreaterThan(50));
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });
    await folder.sweep();

    writer.kill('SIGKILL');
    await once(writer, 'exit');
    await folder.sweep();

    expect(readdirSync(tmp.path)).toEqual([basename(folder.path)]);
    folder.remove();
  });

  it('leaves the folder of a living operator alone, whatever its process id is and however old it is', async () => {
    using tmp = temporaryFolder();
    const one = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });
    const other = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });
    utimesSync(one.path, new Date(0), new Date(0));

    await other.sweep();

    expect(existsSync(one.path)).toBe(true);
    one.remove();
    expect(readdirSync(tmp.path)).toEqual([basename(other.path)]);
    other.remove();
  });

  it('removes a folder of another boot or without a lock only when it was not touched for 24 h', async () => {
    using tmp = temporaryFolder();
    const age = (name: string, hours: number): void => {
      mkdirSync(join(tmp.path, name, 'hook-1'), { recursive: true });
      const at = new Date(Date.now() - hours * 3_600_000);
      utimesSync(join(tmp.path, name), at, at);
    };
    for (const name of ['run-0badb007-abcdef', `run-${boot}-abcdef`]) {
      age(name, 23);
      age(`${name}old`, 25);
    }
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    await folder.sweep();

    const left = readdirSync(tmp.path).filter((name) => name !== basename(folder.path));
    expect(left.toSorted()).toEqual(['run-0badb007-abcdef', `run-${boot}-abcdef`].toSorted());
    folder.remove();
  });

  it('removes an empty folder without a lock when it was not touched for 10 s', async () => {
    using tmp = temporaryFolder();
    for (const [name, seconds] of [
      ['early', 8],
      ['late', 10],
    ] as const) {
      const path = join(tmp.path, `run-${boot}-${name}`);
      mkdirSync(path);
      const at = new Date(Date.now() - seconds * 1000);
      utimesSync(path, at, at);
    }
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    await folder.sweep();

    expect(readdirSync(tmp.path).toSorted()).toEqual([basename(folder.path), `run-${boot}-early`].toSorted());
    folder.remove();
  });

  it('removes the folder of an operator that was killed while it locked it', async () => {
    using tmp = temporaryFolder();
    const stale = leftFolder(tmp.path);
    renameSync(join(stale, 'lock'), join(stale, 'lock.new'));
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    await folder.sweep();

    expect(readdirSync(tmp.path)).toEqual([basename(folder.path)]);
    folder.remove();
  });

  it('looks after 5 s again at what it could not judge, but not once it is removed', async () => {
    using tmp = temporaryFolder();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const folders = [1, 2].map(() => createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false }));
    const leave = (name: string): string => {
      mkdirSync(join(tmp.path, name));
      return join(tmp.path, name);
    };
    const [first, second] = [leave('run-0badb007-abcdef'), leave('run-0badb007-ghijkl')];
    for (const folder of folders) await folder.sweep();
    folders[1]?.remove();
    utimesSync(first, new Date(0), new Date(0));

    await vi.advanceTimersByTimeAsync(4999);
    expect([existsSync(first), vi.getTimerCount()]).toEqual([true, 1]);
    await vi.advanceTimersByTimeAsync(1);

    await until(() => expect(existsSync(first)).toBe(false));
    expect(existsSync(second)).toBe(true);
    folders[0]?.remove();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(['run-away', 'other'])('leaves %s alone', async (name) => {
    using tmp = temporaryFolder();
    mkdirSync(join(tmp.path, name));
    utimesSync(join(tmp.path, name), new Date(0), new Date(0));
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    await folder.sweep();

    expect(existsSync(join(tmp.path, name))).toBe(true);
    folder.remove();
  });

  it('holds and removes folders whose path is too long for a socket', async () => {
    using tmp = temporaryFolder();
    const tmpDir = join(tmp.path, 'x'.repeat(120));
    const folder = createRunFolder({ tmpDir, keepTmpFiles: false });

    expect(await holderOf(folder.path)).toBe('alive');
    folder.remove();
    await until(() => expect(readdirSync(tmpDir)).toEqual([]));
  });

  describe('restore', () => {
    const contents = { file: 'program', write: (path: string) => writeFileSync(join(path, 'program'), 'text') };

    it('does nothing while all is there', () => {
      using tmp = temporaryFolder();
      const onRestored = vi.fn<() => void>();
      const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false, contents, onRestored });

      folder.restore();

      expect(onRestored).not.toHaveBeenCalled();
      folder.remove();
    });

    it.each<[what: string, clear: (path: string) => void]>([
      ['the folder', (path) => rmSync(path, { recursive: true })],
      ['the temporary folder', (path) => rmSync(join(path, '..'), { recursive: true })],
      [
        'the folder, and made one like it that is open to all',
        (path) => (rmSync(path, { recursive: true }), mkdirSync(path), chmodSync(path, 0o777)),
      ],
      ['what is in it', (path) => rmSync(join(path, 'program'))],
    ])('makes all of it again, private and held, where somebody removed %s', async (_what, clear) => {
      using tmp = temporaryFolder();
      const onRestored = vi.fn<() => void>();
      const tmpDir = join(tmp.path, 'tmp');
      const folder = createRunFolder({ tmpDir, keepTmpFiles: false, contents, onRestored });
      clear(folder.path);

      folder.restore();
      folder.restore();

      expect(onRestored).toHaveBeenCalledOnce();
      expect(statSync(folder.path).mode & 0o777).toBe(0o700);
      expect(readFileSync(join(folder.path, 'program'), 'utf8')).toBe('text');
      expect(await holderOf(folder.path)).toBe('alive');
      folder.remove();
    });

    it('refuses what is there instead and is no folder of ours', () => {
      using tmp = temporaryFolder();
      const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false, contents });
      rmSync(folder.path, { recursive: true });
      symlinkSync('/', folder.path);

      expect(() => folder.restore()).toThrow(
        `${folder.path} was replaced by something that does not belong to hooklet`,
      );
      rmSync(folder.path);
    });
  });

  it('keeps everything when files are kept', async () => {
    using tmp = temporaryFolder();
    leftFolder(tmp.path);

    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: true });
    await folder.sweep();
    folder.remove();

    expect(readdirSync(tmp.path)).toHaveLength(2);
  });

  it('leaves what cannot be removed, and reports why', () => {
    using tmp = temporaryFolder();
    const left: unknown[] = [];
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false, onLeft: (error) => left.push(error) });
    // Like a file that a hook made immutable.
    const remove = vi.spyOn(fs, 'rmSync').mockImplementation(() => {
      throw new Error('EPERM');
    });
    syncBuiltinESMExports();
    folder.remove();
    remove.mockRestore();
    syncBuiltinESMExports();

    expect(left).toEqual([new Error('EPERM')]);
  });

  it('leaves nothing of a folder behind whose contents cannot be written', () => {
    using folder = temporaryFolder();
    const write = (): never => {
      throw new Error('no space left on device');
    };

    expect(() => createRunFolder({ tmpDir: folder.path, keepTmpFiles: false, contents: { file: 'a', write } })).toThrow(
      /cannot be used: no space left on device; give another with --tmp-dir/,
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('does not make its folder again after it removed it', () => {
    using tmp = temporaryFolder();
    const folder = createRunFolder({ tmpDir: tmp.path, keepTmpFiles: false });

    folder.remove();

    expect(() => folder.restore()).toThrow('hooklet is stopping');
    expect(readdirSync(tmp.path)).toEqual([]);
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
    [
      'open to other users',
      (folder: string) => (
        mkdirSync(join(folder, 'open')),
        chmodSync(join(folder, 'open'), 0o777),
        join(folder, 'open')
      ),
    ],
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
