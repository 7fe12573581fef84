import { describe, expect, it } from 'vitest';
import type { Client, Loose } from './client.ts';
import { textOf } from './client.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, eventually, refusal, refusalOf } from './target.ts';

/** Deletion: preconditions, finalizers, dependents. */
export function deletionLaws(bench: () => Bench): void {
  describe('delete', () => {
    it('answers a Status that names what is gone', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a'));

      const { status, body } = await client.delete(configMaps(ns, 'a'));

      expect(status).toBe(200);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: created['metadata']?.['uid'] },
      });
      expect((await client.get(configMaps(ns, 'a'))).status).toBe(404);
    });

    it('of what is not there is refused', async () => {
      const { client, namespace } = bench();

      const answer = await client.delete(configMaps(await namespace(), 'a'));

      expect(refusalOf(answer)).toEqual(refusal(404, 'NotFound', 'configmaps "a" not found'));
    });

    it('spares an object that is not the one meant', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a'));

      const answer = await client.delete(configMaps(ns, 'a'), { preconditions: { uid: 'other' } });

      expect(refusalOf(answer)).toEqual(
        refusal(
          409,
          'Conflict',
          `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (${textOf(created['metadata']?.['uid'])}). The object might have been deleted and then recreated`,
        ),
      );
    });

    it('of a collection takes what is selected', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      for (const name of ['a', 'b']) {
        await client.post(configMaps(ns), { metadata: { name, labels: { law: name } } });
      }

      const { status } = await client.delete(`${configMaps(ns)}?labelSelector=law%3Da`);
      const { body } = await client.get(`${configMaps(ns)}?labelSelector=law`);

      expect(status).toBe(200);
      expect(body['items']).toMatchObject([{ metadata: { name: 'b' } }]);
    });
  });

  describe('an object of a kind with a spec', () => {
    it('counts the wish to delete it as a change', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      await client.post(path, {
        metadata: { name: 'a', finalizers: ['law.dev/hold'] },
        spec: { replicas: 0, paused: true, selector: { matchLabels: { a: 'b' } }, template },
      });

      const { body } = await client.delete(`${path}/a`);
      await client.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });

      expect(body['metadata']?.['generation']).toBe(2);
    });
  });

  describe('finalizers', () => {
    it('keep a deleted object until the last one is gone', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), { metadata: { name: 'a', finalizers: ['law.dev/a', 'law.dev/b'] } });

      const deleted = await client.delete(configMaps(ns, 'a'));
      const one = await client.patch(configMaps(ns, 'a'), 'merge', { metadata: { finalizers: ['law.dev/b'] } });
      const none = await client.patch(configMaps(ns, 'a'), 'merge', { metadata: { finalizers: null } });

      expect(deleted.status).toBe(200);
      expect(deleted.body).toMatchObject({
        kind: 'ConfigMap',
        metadata: { deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 },
      });
      expect(one.status).toBe(200);
      expect(none.status).toBe(200);
      expect((await client.get(configMaps(ns, 'a'))).status).toBe(404);
    });

    it('cannot be added to an object that is being deleted', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), { metadata: { name: 'a', finalizers: ['law.dev/a'] } });
      await client.delete(configMaps(ns, 'a'));

      const answer = await client.patch(configMaps(ns, 'a'), 'merge', {
        metadata: { finalizers: ['law.dev/a', 'law.dev/b'] },
      });

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"law.dev/b"}',
        ),
      );
    });

    it('must be qualified names', async () => {
      const { client, namespace } = bench();

      const answer = await client.post(configMaps(await namespace()), { metadata: { name: 'a', finalizers: ['x y'] } });

      expect(answer.status).toBe(422);
    });
  });

  describe('dependents', () => {
    it('are deleted in the background of their owner', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await ownerAndDependent(client, ns);

      const { body } = await client.delete(configMaps(ns, 'owner'), { propagationPolicy: 'Background' });

      expect(body['status']).toBe('Success');
      await eventually(
        () => client.get(configMaps(ns, 'dependent')),
        ({ status }) => status === 404,
      );
    });

    it('are left, without the owner, when orphaned', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await ownerAndDependent(client, ns);

      await client.delete(configMaps(ns, 'owner'), { propagationPolicy: 'Orphan' });
      await eventually(
        () => client.get(configMaps(ns, 'owner')),
        ({ status }) => status === 404,
      );
      const { status, body } = await client.get(configMaps(ns, 'dependent'));

      expect(status).toBe(200);
      expect(body['metadata']).not.toHaveProperty('ownerReferences');
    });

    it('go before their owner in the foreground', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await ownerAndDependent(client, ns, ['law.dev/hold']);

      const { body } = await client.delete(configMaps(ns, 'owner'), { propagationPolicy: 'Foreground' });
      await eventually(
        () => client.get(configMaps(ns, 'dependent')),
        (answer) => answer.body['metadata']?.['deletionTimestamp'] !== undefined,
      );
      const meanwhile = await client.get(configMaps(ns, 'owner'));
      await client.patch(configMaps(ns, 'dependent'), 'merge', { metadata: { finalizers: null } });

      expect(body['metadata']?.['finalizers']).toEqual(['foregroundDeletion']);
      expect(meanwhile.status).toBe(200);
      await eventually(
        () => client.get(configMaps(ns, 'owner')),
        ({ status }) => status === 404,
      );
    });

    it('follow no policy that does not exist', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));

      const answer = await client.delete(configMaps(ns, 'a'), { propagationPolicy: 'Bogus' });

      expect(answer.status).toBe(422);
      expect(answer.body['reason']).toBe('Invalid');
    });
  });
}

async function ownerAndDependent(client: Client, ns: string, finalizers: readonly string[] = []): Promise<void> {
  const { body: owner } = await client.post(configMaps(ns), configMap('owner'));
  const reference: Readonly<Record<string, Loose | string | boolean | undefined>> = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'owner',
    uid: owner['metadata']?.['uid'],
    blockOwnerDeletion: true,
  };
  await client.post(configMaps(ns), {
    metadata: { name: 'dependent', ownerReferences: [reference], finalizers },
  });
  // The collector must have seen both before it can act on one of them.
  await eventually(
    () => client.get(configMaps(ns, 'dependent')),
    ({ status }) => status === 200,
  );
}
