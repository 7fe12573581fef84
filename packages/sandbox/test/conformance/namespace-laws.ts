import { describe, expect, it } from 'vitest';
import type { Bench } from './target.ts';
import { configMap, configMaps, eventually, freshName, refusal, refusalOf } from './target.ts';

/** Namespaces: what they are born with, and how they end. */
export function namespaceLaws(bench: () => Bench): void {
  describe('a namespace', () => {
    it('is active, has its finalizer, and carries its name as a label', async () => {
      const { client } = bench();
      const name = freshName('law');

      const { status, body } = await client.post('/api/v1/namespaces', { metadata: { name } });

      expect(status).toBe(201);
      expect(body).toMatchObject({
        metadata: { labels: { 'kubernetes.io/metadata.name': name } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
    });

    it('takes everything in it along', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));

      const { status, body } = await client.delete(`/api/v1/namespaces/${ns}`);

      expect(status).toBe(200);
      expect(body).toMatchObject({
        kind: 'Namespace',
        metadata: { deletionTimestamp: expect.any(String) },
        status: { phase: 'Terminating' },
      });
      await eventually(
        () => client.get(`/api/v1/namespaces/${ns}`),
        (answer) => answer.status === 404,
      );
      expect((await client.get(configMaps(ns, 'a'))).status).toBe(404);
    });

    it('that is ending accepts nothing new, and waits for what has finalizers', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), { metadata: { name: 'held', finalizers: ['law.dev/hold'] } });
      await client.delete(`/api/v1/namespaces/${ns}`);

      const answer = await client.post(configMaps(ns), configMap('late'));
      await eventually(
        () => client.get(configMaps(ns, 'held')),
        ({ body }) => body['metadata']?.['deletionTimestamp'] !== undefined,
      );
      const meanwhile = await client.get(`/api/v1/namespaces/${ns}`);
      await client.patch(configMaps(ns, 'held'), 'merge', { metadata: { finalizers: null } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          403,
          'Forbidden',
          `configmaps "late" is forbidden: unable to create new content in namespace ${ns} because it is being terminated`,
        ),
      );
      expect(answer.body['details']).toEqual({
        name: 'late',
        kind: 'configmaps',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${ns} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      });
      expect(meanwhile.status).toBe(200);
      await eventually(
        () => client.get(`/api/v1/namespaces/${ns}`),
        ({ status }) => status === 404,
      );
    });
  });
}
