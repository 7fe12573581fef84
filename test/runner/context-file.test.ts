import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeContextFile } from '../../src/runner/context-file.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

async function written(pieces: readonly Uint8Array[], before: string): Promise<string> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'contexts');
  writeFileSync(path, before);
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

    expect(await written(pieces, '.')).toBe(texts.join(''));
  });

  it('has nothing of what was in it', async () => {
    expect(await written([Buffer.from('[]')], 'a longer text from before')).toBe('[]');
  });

  it('has to be there', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'none');

    await expect(writeContextFile(path, [Buffer.from('[]')])).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(writeContextFile(path, [Buffer.alloc(300_000)])).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
