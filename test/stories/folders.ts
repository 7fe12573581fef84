import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { examplesDir } from '../support/example-rig.ts';

/** Where the folders below are. */
export const root = dirname(examplesDir);

/** All examples and solutions. */
export const FOLDERS = ['examples', 'solutions'].flatMap((parent) =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${parent}/${name}`),
);

/** Whether the folder has a story. */
export function hasStory(folder: string): boolean {
  return existsSync(join(root, folder, 'scenarios'));
}
