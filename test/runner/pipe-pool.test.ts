import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
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

  it('gives none when its folder was cleared', () => {
    using folder = temporaryFolder();
    const pool = new PipePool(folder.path);
    rmSync(folder.path, { recursive: true });

    expect(pool.open()).toBeUndefined();
  });
});
