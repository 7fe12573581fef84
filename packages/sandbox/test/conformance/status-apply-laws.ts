import { describe, expect, it } from 'vitest';
import type { Answer, Client } from './client.ts';
import type { Bench } from './target.ts';
import { refusal, refusalOf } from './target.ts';

const OTHER_UID = '00000000-0000-4000-8000-000000000000';

/** Server-side apply to the status: what it owns, and what it requires. */
export function statusApplyLaws(bench: () => Bench): void {
  describe('server-side apply to the status', () => {
    it('owns its conditions one by one, in an entry of the subresource', async () => {
      const { client, namespace } = bench();
      const path = await deployment(client, await namespace());

      const { status, body } = await apply(client, path, { conditions: [condition('Mine')] });

      expect(status).toBe(200);
      expect(body['metadata']?.['generation']).toBe(1);
      const key = 'k:{"type":"Mine"}';
      const owned = { '.': {}, 'f:message': {}, 'f:reason': {}, 'f:status': {}, 'f:type': {} };
      expect(body['metadata']?.['managedFields']).toContainEqual({
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: expect.any(String),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:status': { 'f:conditions': { [key]: owned } } },
        subresource: 'status',
      });
    });

    it('writes nothing when nothing differs', async () => {
      const { client, namespace } = bench();
      const path = await deployment(client, await namespace());
      const twice = async () => {
        const first = await apply(client, path, { conditions: [condition('Mine')] });
        const second = await apply(client, path, { conditions: [condition('Mine')] });
        return [first.body, second.body];
      };

      // Until the controller of a real server has written its own part.
      await expect.poll(async () => new Set((await twice()).map((body) => JSON.stringify(body))).size).toBe(1);
    });

    it('drops the conditions that it does not apply any more, and no other', async () => {
      const { client, namespace } = bench();
      const path = await deployment(client, await namespace());
      await client.patch(`${path}/status?fieldManager=other`, 'merge', {
        status: { conditions: [condition('Theirs')] },
      });
      await apply(client, path, { conditions: [condition('Mine'), condition('Old')] });

      const { body } = await apply(client, path, { conditions: [condition('Mine')] });

      const text = JSON.stringify(body['status']);
      expect(['Mine', 'Theirs', 'Old'].filter((type) => text.includes(`"${type}"`))).toEqual(['Mine', 'Theirs']);
    });

    it('is invalid with another uid', async () => {
      const { client, namespace } = bench();
      const path = await deployment(client, await namespace());

      const answer = await apply(client, path, { conditions: [condition('Mine')] }, { uid: OTHER_UID });

      const text = `Deployment.apps "a" is invalid: metadata.uid: Invalid value: "${OTHER_UID}": field is immutable`;
      expect(refusalOf(answer)).toEqual(refusal(422, 'Invalid', text));
    });

    it.each([
      { title: 'an old resourceVersion', uid: {} },
      { title: 'an old resourceVersion and another uid', uid: { uid: OTHER_UID } },
    ])('is a conflict with $title', async ({ uid }) => {
      const { client, namespace } = bench();
      const path = await deployment(client, await namespace());

      const metadata = { resourceVersion: '1', ...uid };
      const { status, body } = await apply(client, path, { conditions: [condition('Mine')] }, metadata);

      expect([status, body['reason']]).toEqual([409, 'Conflict']);
      expect(body['message']).toMatch(/has been modified/);
    });

    it('takes the uid and the resourceVersion of the object', async () => {
      const { client, namespace } = bench();
      // No controller writes to a Pod that no scheduler sees.
      const path = `/api/v1/namespaces/${await namespace()}/pods`;
      const { body } = await client.post(path, {
        metadata: { name: 'a' },
        spec: { schedulerName: 'none', containers: [{ name: 'c', image: 'i' }] },
      });
      const { uid, resourceVersion } = JSON.parse(JSON.stringify(body['metadata']));

      const { status } = await client.patch(`${path}/a/status?fieldManager=me`, 'apply', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a', uid, resourceVersion },
        status: { message: 'hello' },
      });

      expect(status).toBe(200);
    });

    it('makes no object', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments/a`;

      const { status } = await apply(client, path, { conditions: [condition('Mine')] });

      expect(status).toBe(404);
    });
  });
}

function condition(type: string) {
  return { type, status: 'True', reason: 'Law', message: 'a law' };
}

async function deployment(client: Client, namespace: string): Promise<string> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await client.post(path, {
    metadata: { name: 'a' },
    spec: {
      replicas: 0,
      paused: true,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  return `${path}/a`;
}

async function apply(client: Client, path: string, status: object, metadata: object = {}): Promise<Answer> {
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', ...metadata }, status };
  return client.patch(`${path}/status?fieldManager=me&force=true`, 'apply', object);
}
