import { describe, expect, it } from 'vitest';
import type { Bench } from './target.ts';
import { configMap, configMaps } from './target.ts';

const MAX_BODY_BYTES = 3_145_728;

/** What a server bears of paths and bodies. */
export function requestLaws(bench: () => Bench): void {
  describe('a path', () => {
    it.each([
      ['..', "may not be '..'"],
      ['%2e%2E', "may not be '..'"],
      ['.', "may not be '.'"],
      ['a%25b', "may not contain '%'"],
    ])('names no object by %s', async (segment, rule) => {
      const { client, namespace } = bench();
      const ns = await namespace();

      for (const answer of [
        await client.get(`${configMaps(ns)}/${segment}`),
        await client.delete(`${configMaps(ns)}/${segment}`),
        await client.delete(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${segment}`),
      ]) {
        const message = `Name parameter invalid: "${decodeURIComponent(segment)}": ${rule}`;
        expect([answer.status, answer.body]).toMatchObject([400, { reason: 'BadRequest', message, code: 400 }]);
      }
      expect((await client.get(`/api/v1/namespaces/${ns}`)).body).toMatchObject({ status: { phase: 'Active' } });
    });

    it.each(['/configmaps/a%2Fb', '/configmaps/..%2F..', '/configmaps/a/..', '/../nodes', '//configmaps'])(
      'that goes on with %s leads nowhere',
      async (rest) => {
        const { client, namespace } = bench();
        const path = `/api/v1/namespaces/${await namespace()}${rest}`;

        for (const answer of [await client.get(path), await client.delete(path)]) {
          expect([answer.status, answer.body['reason']]).toEqual([404, 'NotFound']);
        }
      },
    );

    it('names no namespace by ..', async () => {
      const { client } = bench();

      const { status, body } = await client.delete('/api/v1/namespaces/%2e%2e/configmaps');

      expect([status, body['message']]).toEqual([500, 'invalid key: "/configmaps/.."']);
    });
  });

  describe('a body', () => {
    it('has at most 3,145,728 bytes', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const object = JSON.stringify(configMap('a'));

      const tooLarge = await client.post(configMaps(ns), `${object}`.padEnd(MAX_BODY_BYTES + 1));
      const fits = await client.post(configMaps(ns), object.padEnd(MAX_BODY_BYTES));

      expect([tooLarge.status, tooLarge.body]).toMatchObject([
        413,
        { reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728', code: 413 },
      ]);
      expect(fits.status).toBe(201);
    });
  });
}
