import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeContextFile } from '../../src/runner/context-file.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

async function written(pieces: readonly Uint8Array[]): Promise<string> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'contexts');
  await writeContextFile(path, pieces);
  return readFileSync(path, 'utf8');
}

describe('the file of contexts', () => {
  it.each([
    ['nothing', []],
    ['one piece', ['[1]']],
    ['pieces, some of them empty', ['[', '', '1', '', ']']],
    ['more pieces than the system takes at once', Array.from({ length: 3000 }, (_, index) => `${index},`)],
    ['more bytes than are written in one go', Array.from({ length: 1500 }, () => 'ä'.repeat(500))],
  ])('has %s in order', async (_, texts) => {
    const pieces = texts.map((text) => Buffer.from(text));

    expect(await written(pieces)).toBe(texts.join(''));
  });

  it.each([10, 300_000])('of %i bytes is new, and only its owner may read it', async (size) => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'contexts');
    const pieces = [Buffer.alloc(size, 'x')];

    await writeContextFile(path, pieces);

    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(writeContextFile(path, pieces)).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
