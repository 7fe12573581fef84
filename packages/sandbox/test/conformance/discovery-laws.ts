import { describe, expect, it } from 'vitest';
import { textOf } from './client.ts';
import type { Bench } from './target.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What the server says it serves. */
export function discoveryLaws(bench: () => Bench): void {
  describe('discovery', () => {
    it('names the versions of the core group', async () => {
      const { client } = bench();

      expect((await client.get('/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    });

    it('names the groups with their versions', async () => {
      const { client } = bench();

      const { body } = await client.get('/apis');

      expect(body['kind']).toBe('APIGroupList');
      expect(body['groups']).toContainEqual({
        name: 'apps',
        versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
      });
      expect((await client.get('/apis/apps')).body).toMatchObject({ kind: 'APIGroup', name: 'apps' });
    });

    it('describes resources and subresources', async () => {
      const { client } = bench();

      const { body } = await client.get('/apis/apps/v1');

      expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'apps/v1' });
      expect(body['resources']).toContainEqual(
        expect.objectContaining({
          name: 'deployments',
          singularName: 'deployment',
          namespaced: true,
          kind: 'Deployment',
          verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
          shortNames: ['deploy'],
          categories: ['all'],
        }),
      );
      expect(body['resources']).toContainEqual(
        expect.objectContaining({
          name: 'deployments/scale',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: ['get', 'patch', 'update'],
        }),
      );
      expect(body['resources']).toContainEqual(
        expect.objectContaining({ name: 'deployments/status', kind: 'Deployment', verbs: ['get', 'patch', 'update'] }),
      );
    });

    it('tells all at once to who asks for it', async () => {
      const { client } = bench();

      const { body } = await client.get('/apis', { accept: AGGREGATED });

      expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
      const apps = [body['items']].flat().find((group) => Object(group?.['metadata']).name === 'apps');
      expect(apps?.['versions']?.[0]).toMatchObject({ version: 'v1', freshness: 'Current' });
      expect(apps?.['versions']?.[0]?.['resources']).toContainEqual(
        expect.objectContaining({
          resource: 'deployments',
          responseKind: expect.objectContaining({ kind: 'Deployment' }),
          scope: 'Namespaced',
          singularResource: 'deployment',
        }),
      );
    });

    it('answers the core group in the same way', async () => {
      const { client } = bench();

      const { body } = await client.get('/api', { accept: AGGREGATED });

      expect([body['items']?.[0]?.['versions']?.[0]?.['resources']].flat()).toContainEqual(
        expect.objectContaining({ resource: 'pods', scope: 'Namespaced' }),
      );
    });

    it('says in OpenAPI that fields are validated, which kubectl asks before it applies', async () => {
      const { client } = bench();

      const { body: index } = await client.get('/openapi/v3');
      const url = textOf(index['paths']?.['apis/apps/v1']?.['serverRelativeURL']);
      const { body: document } = await client.get(url);

      expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1/);
      expect(document['openapi']).toBe('3.0.0');
      expect(document['paths']?.['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.['patch']).toMatchObject({
        'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
        parameters: expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation', in: 'query' })]),
      });
    });

    it('tells the version of the server', async () => {
      const { client } = bench();

      expect((await client.get('/version')).body).toMatchObject({
        major: '1',
        gitVersion: expect.stringMatching(/^v1\./),
      });
    });

    it('answers whether the server is well', async () => {
      const { client } = bench();

      for (const path of ['/healthz', '/readyz', '/livez']) {
        expect(await client.get(path)).toMatchObject({ status: 200, text: 'ok' });
      }
    });
  });
}
