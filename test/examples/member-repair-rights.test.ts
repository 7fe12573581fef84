import { join } from 'node:path';
import { expect, it } from 'vitest';
import { objectsAt } from '@hooklet/sandbox/testing';
import { rights } from '../operators/kit/rights.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';

it('120-etcd-member-repair has no right too few, and needs all that it has', { timeout: 300_000 }, async () => {
  const folder = join(examplesDir, '120-etcd-member-repair');
  const hooks = join(folder, 'hooks');
  // Its rules name objects, of which a story has some.
  const manifests = readManifests(join(folder, 'manifests', 'deploy.yaml')).map((object) =>
    object['rules'] === undefined
      ? object
      : { ...object, rules: objectsAt(object, 'rules').map((rule) => ({ ...rule, resourceNames: [] })) },
  );

  const lines = await rights({ hooks, manifests, scenarios: [join(folder, 'scenarios')] });

  // Asked for each reconcile binding; hooklet writes no status of built-in kinds.
  expect(lines.filter((line) => !line.includes('[statefulsets/status]'))).toEqual([]);
});
