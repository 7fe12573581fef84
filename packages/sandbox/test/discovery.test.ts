import { describe, expect, it } from 'vitest';
import { byVersionPriority } from '../src/discovery.ts';
import { asking, sandboxForTest, widgetDefinition } from './support/sandbox.ts';

describe('discovery', () => {
  it('the legacy form names groups, versions and resources', async () => {
    const ask = asking(await sandboxForTest());

    expect((await ask('GET', '/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect((await ask('GET', '/apis/apps')).body).toMatchObject({
      kind: 'APIGroup',
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
    expect((await ask('GET', '/apis/autoscaling')).body).toMatchObject({ preferredVersion: { version: 'v2' } });
    expect((await ask('GET', '/apis/apps/v1')).body['resources']).toContainEqual({
      name: 'deployments/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  });

  it.each(['v2', 'v2beta1'])('the aggregated form %s has everything in two documents', async (version) => {
    const accept = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList,application/json`;
    const ask = asking(await sandboxForTest(), { accept });

    const core = await ask('GET', '/api');
    const groups = await ask('GET', '/apis');

    expect(core.headers.get('content-type')).toBe(
      `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    );
    expect(core.body).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      items: [{ metadata: {}, versions: [{ version: 'v1', freshness: 'Current' }] }],
    });
    expect(JSON.stringify(groups.body)).toContain('"resource":"deployments"');
  });

  it('a definition is discovered as soon as its creation is answered', async () => {
    const ask = asking(await sandboxForTest());

    await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition());

    expect((await ask('GET', '/apis/example.com/v1')).body).toMatchObject({
      groupVersion: 'example.com/v1',
      resources: [{ name: 'widgets', shortNames: ['wd'] }, { name: 'widgets/status' }, { name: 'widgets/scale' }],
    });
    expect((await ask('GET', '/apis')).text).toContain('example.com/v1');
  });

  it('stable versions come before beta ones, and newer before older', () => {
    const versions = ['v1alpha1', 'v10', 'v1', 'other', 'v1beta2', 'v2', 'v1beta10'];

    expect(versions.toSorted(byVersionPriority)).toEqual([
      'v10',
      'v2',
      'v1',
      'v1beta10',
      'v1beta2',
      'v1alpha1',
      'other',
    ]);
  });
});
