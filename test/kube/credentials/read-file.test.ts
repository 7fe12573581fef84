import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSmallFile } from '../../../src/kube/credentials/read-file.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';

let folder: ReturnType<typeof temporaryFolder>;
const path = (name: string): string => join(folder.path, name);
const pipe = (name: string): string => {
  execFileSync('mkfifo', [path(name)]);
  return path(name);
};

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => folder[Symbol.dispose]());

describe('readSmallFile', () => {
  it('reads a file, also an empty one, up to its limit', async () => {
    writeFileSync(path('a'), 'x'.repeat(100_000));
    writeFileSync(path('empty'), '');

    expect(await readSmallFile(path('a'), 100_000)).toHaveLength(100_000);
    expect(await readSmallFile(path('empty'), 10)).toHaveLength(0);
    await expect(readSmallFile(path('a'), 99_999)).rejects.toThrow('has more than 99999 bytes');
    await expect(readSmallFile('/dev/zero', 10)).rejects.toThrow('/dev/zero is not a file');
    await expect(readSmallFile(folder.path, 10)).rejects.toThrow('is not a file');
  });

  it('reads what a command writes into a pipe, however slowly it begins', async () => {
    const reading = readSmallFile(pipe('p'), 100);
    const writer = spawn('sh', ['-c', `exec >"$1"; sleep 0.1; echo one; sleep 0.1; echo two`, 'sh', path('p')]);

    expect((await reading).toString()).toBe('one\ntwo\n');
    writer.kill();
  });

  it('gives up a pipe without a writer at its limit', async () => {
    await expect(readSmallFile(pipe('p'), 100, 50)).rejects.toThrow('is a pipe that did not end within 0.05 s');
  });
});
