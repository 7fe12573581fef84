import { describe, expect, it } from 'vitest';
import type { Bench } from './target.ts';
import { configMap, configMaps, refusal, refusalOf } from './target.ts';

/** Dry runs answer as if, and store nothing. */
export function dryRunLaws(bench: () => Bench): void {
  describe('a dry run', () => {
    it('creates nothing', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();

      const { status, body } = await client.post(`${configMaps(ns)}?dryRun=All`, configMap('a', { data: { k: 'v' } }));

      expect(status).toBe(201);
      expect(body).toMatchObject({ metadata: { name: 'a', uid: expect.any(String) }, data: { k: 'v' } });
      expect(body['metadata']).not.toHaveProperty('resourceVersion');
      expect((await client.get(configMaps(ns, 'a'))).status).toBe(404);
    });

    it('changes nothing', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a', { data: { k: 'v' } }));

      const patched = await client.patch(`${configMaps(ns, 'a')}?dryRun=All`, 'merge', { data: { k: 'w' } });

      expect(patched.body['data']).toEqual({ k: 'w' });
      expect((await client.get(configMaps(ns, 'a'))).body).toEqual(created);
    });

    it('deletes nothing', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));

      expect((await client.delete(`${configMaps(ns, 'a')}?dryRun=All`)).status).toBe(200);
      expect((await client.get(configMaps(ns, 'a'))).status).toBe(200);
    });

    it('finds the errors that the real run would', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));

      const answer = await client.post(`${configMaps(ns)}?dryRun=All`, configMap('a'));

      expect(refusalOf(answer)).toEqual(refusal(409, 'AlreadyExists', 'configmaps "a" already exists'));
    });

    it('is All or nothing', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(`${configMaps(await namespace())}?dryRun=Some`, configMap('a'));

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
        ),
      );
    });
  });
}
