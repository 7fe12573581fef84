import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectsAt } from '@hooklet/sandbox/testing';
import { examplesDir, readManifests } from '../support/example-rig.ts';

const objects = readManifests(join(examplesDir, '300-etcd', 'manifests', 'rbac.yaml'));

/** Each verb on each resource, in words. */
function rightsOf(object: JsonObject): readonly string[] {
  return objectsAt(object, 'rules').flatMap((rule) => {
    const of = (field: string): readonly string[] => [Object(rule)[field] ?? []].flat();
    const resources = of('apiGroups').flatMap((group) => of('resources').map((resource) => `${group}/${resource}`));
    return resources.flatMap((resource) =>
      of('verbs').map((verb) => `${verb} ${resource} ${of('resourceNames').join(',')}`),
    );
  });
}

it('the operator of etcd is given each right once', () => {
  const rights = objects.flatMap(rightsOf);
  // A right on all objects has those on named ones in it.
  const twice = rights.filter((right, at) => rights.some((other, place) => place !== at && right.startsWith(other)));
  expect(twice).toEqual([]);
  expect(rights).toContain('create /secrets ');
});

it('it may note on an EtcdBackup which Events were told', () => {
  expect(objects.flatMap(rightsOf)).toContain('patch etcd.hooklet.dev/etcdbackups ');
});
