import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PipePool } from '../../src/runner/pipe-pool.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

function openPipe(pool: PipePool) {
  const pipe = pool.open();
  if (pipe === undefined) throw new Error('no pipe');
  return pipe;
}

describe('PipePool', () => {
  it('gives pipes that a process can open by name, as /dev/stderr', async () => {
    using folder = temporaryFolder();
    const pipe = openPipe(new PipePool(folder.path));

    execFileSync('sh', ['-c', 'echo by name > /dev/stderr'], { stdio: ['ignore', 'ignore', pipe.writeFd] });
    const chunks: Buffer[] = [];
    await pipe.read((chunk) => chunks.push(chunk));

    expect(Buffer.concat(chunks).toString()).toBe('by name\n');
  });

  it('uses a pipe again once its last writer is gone', async () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);

    for (let i = 0; i < 40; i++) await openPipe(pool).read(() => {});

    expect(readdirSync(folder.path)).toHaveLength(16);
  });

  it('never uses a pipe again that somebody may still write to', async () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);
    const pipe = openPipe(pool);
    const name = readdirSync(folder.path).length;
    const reading = pipe.read(() => {});

    pipe.destroy();
    await reading;

    expect(readdirSync(folder.path)).toHaveLength(name - 1);
  });

  it('makes more when all are in use', async () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);

    const pipes = Array.from({ length: 20 }, () => openPipe(pool));

    expect(new Set(pipes.map(({ writeFd }) => writeFd)).size).toBe(20);
    await Promise.all(pipes.map(async (pipe) => pipe.read(() => {})));
  });

  it('gives none where none can be made, so that the caller uses others', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, '');

    expect(new PipePool(file).open()).toBeUndefined();
  });

  it('makes them again where its folder was cleared, and tries that once in 10 s where there is none', () => {
    using folder = temporaryFolder();
    const pipes = join(folder.path, 'pipes');
    mkdirSync(pipes);
    let nowMs = 0;
    const pool = new PipePool(pipes, () => nowMs);
    const open = (): boolean => {
      const pipe = pool.open();
      void pipe?.read(() => {});
      return pipe !== undefined;
    };
    for (const name of readdirSync(pipes)) rmSync(join(pipes, name));
    const afterClearing = open();
    rmSync(pipes, { recursive: true });

    const seen = [9999, 10_000].map((atMs) => {
      const isOpenWithout = open();
      mkdirSync(pipes, { recursive: true });
      nowMs = atMs;
      return [isOpenWithout, open()];
    });

    expect(afterClearing).toBe(true);
    expect(seen).toEqual([
      [false, false],
      [false, true],
    ]);
  });

  it.each<[what: string, put: (path: string) => void]>([
    ['another pipe, which nobody reads', (path) => execFileSync('mkfifo', [path])],
    ['a file', (path) => writeFileSync(path, 'text')],
    ['a link', (path) => symlinkSync('/dev/zero', path)],
    ['a folder', (path) => mkdirSync(path)],
  ])('does not wait for %s that was put in the place of one', (_what, put) => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);
    for (const name of readdirSync(folder.path)) {
      rmSync(join(folder.path, name));
      put(join(folder.path, name));
    }

    const pipe = pool.open();
    writeSync(pipe?.writeFd ?? -1, 'heard');

    expect(pipe).toBeDefined();
    void pipe?.read(() => {});
  });
});
