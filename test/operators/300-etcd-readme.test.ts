import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { leavesOf } from './kit/schema-leaves.ts';

it.each([
  ['EtcdCluster', 'crd.yaml', 30],
  ['EtcdBackup', 'crd-backup.yaml', 14],
  ['EtcdRestore', 'crd-restore.yaml', 12],
])('the README has a row for each field of an %s of %s, %i or more, and no other', (kind, file, least) => {
  const example = join(examplesDir, '300-etcd');
  const text = readFileSync(join(example, 'README.md'), 'utf8');
  const [, section = ''] = new RegExp(`## ${kind}\n([^]*?)\n(?:## |\`v1beta1\`)`).exec(text) ?? [];
  const cells = section.split('\n').flatMap((line) => /^\| (`[a-z][^|]+`) \|/.exec(line)?.[1] ?? []);
  const rows = cells.flatMap((cell) => cell.split(', ').map((name) => name.replaceAll('`', '')));
  const [described = {}] = readManifests(join(example, 'manifests', file));
  const fields = leavesOf(described).map(({ path }) => path.replace(/^spec\./, '').replace(/\[\]|\{\}/, ''));

  expect(rows.toSorted()).toEqual(fields.toSorted());
  expect(fields.length).toBeGreaterThanOrEqual(least);
});
