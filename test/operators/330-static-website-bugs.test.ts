import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { openWorld } from '../../src/testing/index.ts';
import type { TestWorld } from '../../src/testing/public.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { playControllers } from './kit/play-controllers.ts';

const folder = join(examplesDir, '330-static-website');
const [CONTENT = {}, SITE = {}] = readManifests(join(folder, 'manifests', 'try', 'web-site.yaml'));
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'docs' } };

/** A world with the site of the example, not rolled out. */
async function open(objects: readonly JsonObject[] = [CONTENT, SITE]): Promise<TestWorld> {
  return openWorld({
    limitMs: 120_000,
    hooks: join(folder, 'hooks'),
    programs: join(folder, 'scenarios', 'programs'),
    crds: join(folder, 'manifests', 'crd.yaml'),
    objects,
  });
}

async function readyOf(world: TestWorld): Promise<JsonObject> {
  const [ready = {}] = objectsAt(await world.get(SITE), 'status', 'conditions');
  return ready;
}

async function deploymentOf(world: TestWorld): Promise<JsonObject> {
  return (await world.get(DEPLOYMENT)) ?? {};
}

const HASH = ['spec', 'template', 'metadata', 'annotations', 'web.example.hooklet.dev/content'] as const;

describe('bugs of other operators', { timeout: 300_000 }, () => {
  it('a site that is deleted and made anew under its name keeps nothing of the one before', async () => {
    await using world = await open();
    await playControllers(world);
    const before = await deploymentOf(world);
    await world.delete(SITE);
    await world.apply(SITE);
    await playControllers(world);

    const [owner] = objectsAt(await deploymentOf(world), 'metadata', 'ownerReferences');
    expect(textAt(owner, 'uid')).toBe(textAt(await world.get(SITE), 'metadata', 'uid'));
    expect(textAt(await deploymentOf(world), 'metadata', 'uid')).not.toBe(textAt(before, 'metadata', 'uid'));
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('a fix is not held back by Pods that only the fix can make ready, and what holds them back is told', async () => {
    await using world = await open();
    const before = textAt(await deploymentOf(world), ...HASH);
    const conditions = [
      { type: 'Progressing', status: 'False', message: 'ReplicaSet "docs" has timed out progressing.' },
    ];
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, conditions };
    await world.patch({ ...DEPLOYMENT, status }, 'status');

    expect(await readyOf(world)).toMatchObject({
      reason: 'RollingOut',
      message:
        '1 of 1 Pods have the content of the spec, 0 are available: ReplicaSet "docs" has timed out progressing.',
    });
    await world.patch({ ...CONTENT, data: { 'index.html': 'better' } });
    expect(textAt(await deploymentOf(world), ...HASH)).not.toBe(before);
    await playControllers(world);
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('a site that failed is looked at again after an upgrade of the operator, without a change of it', async () => {
    await using world = await open([SITE]);
    expect(await readyOf(world)).toMatchObject({ status: 'False', reason: 'ContentRefused' });

    expect((await world.restart()).runs()).toMatchObject([{ outcome: 'succeeded' }]);
    await world.apply(CONTENT);
    await playControllers(world);
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('missing replicas are 1 and never 0, and the selector is the same whatever changes', async () => {
    await using world = await open();
    const { selector } = Object((await deploymentOf(world))['spec']);
    await world.patch({ ...SITE, spec: { replicas: 3 } });
    expect(await deploymentOf(world)).toMatchObject({ spec: { replicas: 3, selector } });
    await world.patch({ ...SITE, spec: { replicas: null } });

    expect(await deploymentOf(world)).toMatchObject({ spec: { replicas: 1, selector } });
  });

  it('no Deployment and no Service is ever deleted by the operator, which has no right to', () => {
    const roles = readManifests(join(folder, 'manifests', 'deploy.yaml')).filter(({ kind }) => kind === 'Role');
    const deleting = roles
      .flatMap((role) => objectsAt(role, 'rules'))
      .filter((one) => textsAt(one, 'verbs').includes('delete'));

    expect(deleting.flatMap((one) => textsAt(one, 'resources'))).toEqual(['configmaps', 'ingresses']);
  });
});
