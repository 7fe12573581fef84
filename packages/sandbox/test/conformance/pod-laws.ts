import { describe, expect, it } from 'vitest';
import type { Bench } from './target.ts';
import { refusal, refusalOf } from './target.ts';

const SPEC = { containers: [{ name: 'c', image: 'i' }] };

/** Pods: what they are born with, how they are bound, how they go. */
export function podLaws(bench: () => Bench): void {
  describe('a pod', () => {
    it('is pending, with the defaults of its containers', async () => {
      const { client, namespace } = bench();

      const { body } = await client.post(pods(await namespace()), { metadata: { name: 'a' }, spec: SPEC });

      expect(body['status']).toMatchObject({ phase: 'Pending' });
      expect(body['spec']).toMatchObject({
        restartPolicy: 'Always',
        dnsPolicy: 'ClusterFirst',
        terminationGracePeriodSeconds: 30,
        schedulerName: 'default-scheduler',
        containers: [
          { name: 'c', image: 'i', imagePullPolicy: 'Always', terminationMessagePath: '/dev/termination-log' },
        ],
      });
    });

    it('that is not bound goes at once', async () => {
      const { client, namespace } = bench();
      const path = pods(await namespace());
      await client.post(path, { metadata: { name: 'a' }, spec: SPEC });

      await client.delete(`${path}/a`);

      expect((await client.get(`${path}/a`)).status).toBe(404);
    });

    it('that is bound waits for its grace period, unless that is 0', async () => {
      const { client, namespace } = bench();
      const path = pods(await namespace());
      await client.post(path, { metadata: { name: 'a' }, spec: { ...SPEC, nodeName: 'n' } });

      const deleted = await client.delete(`${path}/a`);
      const meanwhile = await client.get(`${path}/a`);
      await client.delete(`${path}/a?gracePeriodSeconds=0`);

      expect(deleted.body['metadata']).toMatchObject({
        deletionTimestamp: expect.any(String),
        deletionGracePeriodSeconds: 30,
      });
      expect(meanwhile.status).toBe(200);
      expect((await client.get(`${path}/a`)).status).toBe(404);
    });

    it('is bound through its subresource, once', async () => {
      const { client, namespace } = bench();
      const path = pods(await namespace());
      await client.post(path, { metadata: { name: 'a' }, spec: SPEC });
      const binding = { metadata: { name: 'a' }, target: { apiVersion: 'v1', kind: 'Node', name: 'n' } };

      const bound = await client.post(`${path}/a/binding`, binding);
      const again = await client.post(`${path}/a/binding`, binding);
      const { body } = await client.get(`${path}/a`);

      expect(bound.status).toBe(201);
      expect(again.status).toBe(409);
      expect(body['spec']?.['nodeName']).toBe('n');
    });

    it('is evicted through its subresource', async () => {
      const { client, namespace } = bench();
      const path = pods(await namespace());
      await client.post(path, { metadata: { name: 'a' }, spec: SPEC });

      const { status, body } = await client.post(`${path}/a/eviction`, { metadata: { name: 'a' } });

      expect(status).toBe(201);
      expect(body).toMatchObject({ kind: 'Status', status: 'Success' });
      expect((await client.get(`${path}/a`)).status).toBe(404);
    });

    it('must have a container', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(pods(await namespace()), { metadata: { name: 'a' }, spec: {} });

      expect(refusalOf(answer)).toEqual(refusal(422, 'Invalid', 'Pod "a" is invalid: spec.containers: Required value'));
    });
  });
}

function pods(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}
