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

/** Those whose stories `test:examples` plays undisturbed alone. */
export const UNDISTURBED = [
  // Their stories ask for no perturbations, as theirs do not come to rest.
  'examples/120-etcd-member-repair',
  'examples/300-etcd',
  'solutions/etcd-repair',
  // They take minutes: `test/operators/stories.test.ts` plays them under perturbations.
  'examples/310-backup',
  'examples/330-static-website',
  'examples/340-prometheus',
];

/** Whether the folder has a story. */
export function hasStory(folder: string): boolean {
  return existsSync(join(root, folder, 'scenarios'));
}
