import { describe, expect, it } from 'vitest';
import type { Bench } from './target.ts';

/** Status and scale. */
export function subresourceLaws(bench: () => Bench): void {
  const deployment = {
    metadata: { name: 'a' },
    spec: {
      replicas: 2,
      paused: true,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };

  describe('status', () => {
    it('cannot be written through the object', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
      await client.post(path, deployment);

      const { body } = await client.patch(`${path}/a`, 'merge', { status: { readyReplicas: 7 } });

      expect(body['status']).not.toHaveProperty('readyReplicas');
    });

    it('is all that its subresource writes', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
      await client.post(path, deployment);

      const { status, body } = await client.patch(`${path}/a/status`, 'merge', {
        spec: { replicas: 9 },
        status: { replicas: 1, conditions: [{ type: 'Law', status: 'True' }] },
      });

      expect(status).toBe(200);
      expect(body['spec']?.['replicas']).toBe(2);
      expect(body['status']).toMatchObject({ replicas: 1, conditions: [{ type: 'Law', status: 'True' }] });
      expect(body['metadata']?.['generation']).toBe(1);
    });

    it('is written by a field manager entry of its own', async () => {
      const { client, namespace } = bench();
      const path = `/api/v1/namespaces/${await namespace()}/pods`;
      await client.post(path, { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } });

      const { body } = await client.patch(`${path}/a/status?fieldManager=kubelet`, 'merge', {
        status: { message: 'hello' },
      });

      expect(body['metadata']?.['managedFields']).toContainEqual(
        expect.objectContaining({
          manager: 'kubelet',
          subresource: 'status',
          fieldsV1: { 'f:status': { 'f:message': {} } },
        }),
      );
    });
  });

  describe('scale', () => {
    it('shows the replicas and the selector', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/deployments`;
      await client.post(path, deployment);

      const { status, body } = await client.get(`${path}/a/scale`);

      expect(status).toBe(200);
      expect(body).toMatchObject({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a', namespace: ns },
        spec: { replicas: 2 },
        status: { replicas: 0, selector: 'a=b' },
      });
    });

    it('changes the replicas', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
      await client.post(path, deployment);

      const scaled = await client.patch(`${path}/a/scale`, 'merge', { spec: { replicas: 5 } });
      const { body } = await client.get(`${path}/a`);

      expect(scaled.status).toBe(200);
      expect(scaled.body['spec']).toEqual({ replicas: 5 });
      expect(body['spec']?.['replicas']).toBe(5);
    });
  });
}
