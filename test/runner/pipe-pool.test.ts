import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PipePool } from '../../src/runner/pipe-pool.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

async function openPipe(pool: PipePool) {
  const pipe = await pool.open();
  if (pipe === undefined) throw new Error('no pipe');
  return pipe;
}

describe('PipePool', () => {
  it('gives pipes that a process can open by name, as /dev/stderr', async () => {
    using folder = temporaryFolder();
    const pipe = await openPipe(new PipePool(folder.path));

    execFileSync('sh', ['-c', 'echo by name > /dev/stderr'], { stdio: ['ignore', 'ignore', pipe.writeFd] });
    const chunks: Buffer[] = [];
    await pipe.read((chunk) => chunks.push(chunk));

    expect(Buffer.concat(chunks).toString()).toBe('by name\n');
  });

  it('uses a pipe again once its last writer is gone', async () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);

    for (let i = 0; i < 40; i++) await (await openPipe(pool)).read(() => {});

    expect(readdirSync(folder.path)).toHaveLength(16);
  });

  it('never uses a pipe again that somebody may still write to', async () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);
    const pipe = await openPipe(pool);
    const name = readdirSync(folder.path).length;
    const reading = pipe.read(() => {});

    pipe.destroy();
    await reading;

    expect(readdirSync(folder.path)).toHaveLength(name - 1);
  });

  it('makes more when all are in use', async () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);

    const pipes = await Promise.all(Array.from({ length: 40 }, async () => openPipe(pool)));

    expect(new Set(pipes.map(({ writeFd }) => writeFd)).size).toBe(40);
    await Promise.all(pipes.map(async (pipe) => pipe.read(() => {})));
  });

  it('gives none where none can be made, so that the caller uses others', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, '');

    expect(await new PipePool(file).open()).toBeUndefined();
  });

  it('gives none after 2 s where the program that makes them hangs, without holding up anything else', async () => {
    using folder = temporaryFolder();
    using bin = temporaryFolder();
    writeFileSync(join(bin.path, 'mkfifo'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${bin.path}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const startedAt = performance.now();
    const pool = new PipePool(folder.path);

    let turns = 0;
    const turning = setInterval(() => turns++, 10);
    const pipe = await pool.open();
    clearInterval(turning);
    const heldUpMs = performance.now() - startedAt;
    const next = await pool.open();

    expect([pipe, next]).toEqual([undefined, undefined]);
    expect(heldUpMs).toBeGreaterThan(1990);
    expect(performance.now() - startedAt - heldUpMs).toBeLessThan(1000);
    expect(turns).toBeGreaterThan(20);
  });

  it('has more made before all are in use', async () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);
    const pipes = await Promise.all(Array.from({ length: 12 }, async () => openPipe(pool)));
    const before = readdirSync(folder.path).length;

    pipes.push(await openPipe(pool));
    await vi.waitUntil(() => readdirSync(folder.path).length === 32, { timeout: 30_000 });

    expect(before).toBe(16);
    await Promise.all(pipes.map(async (pipe) => pipe.read(() => {})));
  });

  it('makes nothing in its folder once it has ended', async () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);

    await pool.end();
    const made = readdirSync(folder.path).length;
    for (let i = 0; i < 16; i++) await openPipe(pool);

    expect(await pool.open()).toBeUndefined();
    expect(made).toBe(16);
    expect(readdirSync(folder.path)).toHaveLength(16);
  });

  it('makes them again where its folder was cleared, and tries that once in 10 s where there is none', async () => {
    using folder = temporaryFolder();
    const pipes = join(folder.path, 'pipes');
    mkdirSync(pipes);
    let nowMs = 0;
    const pool = new PipePool(pipes, () => nowMs);
    const open = async (): Promise<boolean> => {
      const pipe = await pool.open();
      void pipe?.read(() => {});
      return pipe !== undefined;
    };
    await open();
    for (const name of readdirSync(pipes)) rmSync(join(pipes, name));
    const afterClearing = await open();
    rmSync(pipes, { recursive: true });

    const seen: (readonly [boolean, boolean])[] = [];
    for (const atMs of [9999, 10_000]) {
      const isOpenWithout = await open();
      mkdirSync(pipes, { recursive: true });
      nowMs = atMs;
      seen.push([isOpenWithout, await open()]);
    }

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
  ])('does not wait for %s that was put in the place of one', async (_what, put) => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);
    await openPipe(pool);
    for (const name of readdirSync(folder.path)) {
      rmSync(join(folder.path, name));
      put(join(folder.path, name));
    }

    const pipe = await pool.open();
    writeSync(pipe?.writeFd ?? -1, 'heard');

    expect(pipe).toBeDefined();
    void pipe?.read(() => {});
  });
});
