import { existsSync, mkdirSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeTree } from '../../src/lib/remove-tree.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

it('leaves nothing where its subfolders are removed at the same time', async () => {
  using tmp = temporaryFolder();
  const left: string[] = [];
  for (let round = 0; round < 200; round++) {
    const folder = join(tmp.path, String(round));
    const below = [1, 2, 3].map((index) => join(folder, String(index)));
    for (const path of below) mkdirSync(path, { recursive: true });

    const removals = below.map(async (path) => rmdir(path).catch(() => {}));
    removeTree(folder);
    await Promise.all(removals);

    if (existsSync(folder)) left.push(folder);
  }

  expect(left).toEqual([]);
});

it('takes a path that is not there as removed', () => {
  using tmp = temporaryFolder();

  expect(() => removeTree(join(tmp.path, 'nothing'))).not.toThrow();
});
