import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { leavesOf } from './kit/schema-leaves.ts';

it('the README of the operator for etcd has a row for each field of an EtcdCluster, and no other', () => {
  const example = join(examplesDir, '300-etcd');
  const text = readFileSync(join(example, 'README.md'), 'utf8');
  const [, table = ''] = /## EtcdCluster\n([^]*?)\n`v1beta1`/.exec(text) ?? [];
  const cells = table.split('\n').flatMap((line) => /^\| (`[a-z][^|]+`) \|/.exec(line)?.[1] ?? []);
  const rows = cells.flatMap((cell) => cell.split(', ').map((name) => name.replaceAll('`', '')));
  const [described = {}] = readManifests(join(example, 'manifests', 'crd.yaml'));
  const fields = leavesOf(described).map(({ path }) => path.replace(/^spec\./, '').replace(/\[\]|\{\}/, ''));

  expect(rows.toSorted()).toEqual(fields.toSorted());
  expect(fields.length).toBeGreaterThan(20);
});
