import { describe, expect, it } from 'vitest';
import type { Answer, Client, Loose } from './client.ts';
import { textOf } from './client.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, refusal, refusalOf } from './target.ts';

/** Lists: selection, pages, and what a list itself carries. */
export function listLaws(bench: () => Bench): void {
  describe('a list', () => {
    it('is ordered by name, and its items carry no kind of their own', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await createAll(client, ns, ['b', 'a', 'c']);

      const { status, body } = await client.get(`${configMaps(ns)}?labelSelector=law`);

      expect(status).toBe(200);
      expect(body).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMapList',
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
      });
      expect(namesIn(body)).toEqual(['a', 'b', 'c']);
      expect(body['items']?.[0]).not.toHaveProperty('kind');
    });

    it('that is empty has an empty array of items', async () => {
      const { client, namespace } = bench();

      const { body } = await client.get(`${configMaps(await namespace())}?labelSelector=law`);

      expect(body['items']).toEqual([]);
    });

    it('of all namespaces spans them', async () => {
      const { client, namespace } = bench();
      const [one, two] = [await namespace(), await namespace()];
      const labels = { law: one };
      await client.post(configMaps(one), { metadata: { name: 'a', labels } });
      await client.post(configMaps(two), { metadata: { name: 'a', labels } });

      const { body } = await client.get(`/api/v1/configmaps?labelSelector=law%3D${one}`);

      expect(itemsOf(body).map((item) => item['metadata']?.['namespace'])).toEqual([one, two].toSorted());
    });
  });

  describe('a label selector', () => {
    it.each<readonly [string, readonly string[]]>([
      ['tier=front', ['a']],
      ['tier==front', ['a']],
      ['tier!=front', ['b', 'c']],
      ['tier in (front,back)', ['a', 'b']],
      ['tier notin (front)', ['b', 'c']],
      ['tier', ['a', 'b']],
      ['!tier', ['c']],
      ['tier,size=1', ['a']],
      ['size>1', ['b']],
      ['size<2', ['a']],
    ])('%s selects %j', async (selector, expected) => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
        a: { tier: 'front', size: '1' },
        b: { tier: 'back', size: '2' },
        c: {},
      };
      for (const [name, extra] of Object.entries(labels)) {
        await client.post(configMaps(ns), { metadata: { name, labels: { law: 'x', ...extra } } });
      }

      const { body } = await client.get(`${configMaps(ns)}?labelSelector=${encodeURIComponent(`law=x,${selector}`)}`);

      expect(namesIn(body)).toEqual(expected);
    });

    it('that cannot be parsed is refused', async () => {
      const { client, namespace } = bench();

      const answer = await client.get(`${configMaps(await namespace())}?labelSelector=a%20b`);

      expect(refusalOf(answer)).toEqual(
        refusal(400, 'BadRequest', `unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt`),
      );
    });
  });

  describe('a field selector', () => {
    it.each<readonly [string, readonly string[]]>([
      ['metadata.name=a', ['a']],
      ['metadata.name!=a', ['b']],
    ])('%s selects %j', async (selector, expected) => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await createAll(client, ns, ['a', 'b']);

      const { body } = await client.get(
        `${configMaps(ns)}?labelSelector=law&fieldSelector=${encodeURIComponent(selector)}`,
      );

      expect(namesIn(body)).toEqual(expected);
    });

    it('selects pods by phase and node', async () => {
      const { client, namespace } = bench();
      const path = `/api/v1/namespaces/${await namespace()}/pods`;
      await client.post(path, { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } });

      expect(namesIn((await client.get(`${path}?fieldSelector=status.phase%3DPending,spec.nodeName%3D`)).body)).toEqual(
        ['a'],
      );
      expect(namesIn((await client.get(`${path}?fieldSelector=status.phase%3DRunning`)).body)).toEqual([]);
    });

    it('on a field that cannot select is refused', async () => {
      const { client, namespace } = bench();

      const answer = await client.get(`${configMaps(await namespace())}?fieldSelector=data.k%3Dv`);

      expect(refusalOf(answer)).toEqual(
        refusal(
          400,
          'BadRequest',
          '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
      );
    });
  });

  describe('a limited list', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];

    it('goes on where it stopped, and counts what remains', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`, { metadata: { name: 'x' } });
      const path = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`;
      for (const name of names) await client.post(path, { metadata: { name } });

      const first = await client.get(`${path}?limit=2`);
      const second = await client.get(`${path}?limit=2&continue=${tokenIn(first)}`);
      const third = await client.get(`${path}?limit=2&continue=${tokenIn(second)}`);

      expect([first, second, third].map(({ body }) => namesIn(body))).toEqual([
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'x'],
      ]);
      expect([first, second, third].map(({ body }) => body['metadata']?.['remainingItemCount'])).toEqual([
        4,
        2,
        undefined,
      ]);
      expect(tokenIn(third)).toBe('');
    });

    it('shows on all pages the moment of the first', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await createAll(client, ns, names);
      const path = `${configMaps(ns)}?labelSelector=law&limit=2`;

      const first = await client.get(path);
      await client.delete(configMaps(ns, 'e'));
      await createAll(client, ns, ['f']);
      const rest = await client.get(`${configMaps(ns)}?labelSelector=law&continue=${tokenIn(first)}`);

      expect(namesIn(rest.body)).toEqual(['c', 'd', 'e']);
      expect(rest.body['metadata']?.['resourceVersion']).toBe(first.body['metadata']?.['resourceVersion']);
    });

    it('does not count what remains behind a selector', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await createAll(client, ns, names);

      const { body } = await client.get(`${configMaps(ns)}?labelSelector=law&limit=2`);

      expect(body['metadata']).not.toHaveProperty('remainingItemCount');
    });

    it('cannot go on after compaction, but offers to go on inconsistently', async () => {
      const { client, target, namespace } = bench();
      const ns = await namespace();
      await createAll(client, ns, names);
      const first = await client.get(`${configMaps(ns)}?limit=2&labelSelector=law`);
      await createAll(client, ns, ['f']);
      await target.compact();

      const answer = await client.get(`${configMaps(ns)}?labelSelector=law&continue=${tokenIn(first)}`);
      const rest = await client.get(`${configMaps(ns)}?labelSelector=law&continue=${tokenIn(answer)}`);

      expect(refusalOf(answer)).toEqual(
        refusal(
          410,
          'Expired',
          'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
        ),
      );
      expect(namesIn(rest.body)).toEqual(['c', 'd', 'e', 'f']);
    });

    it('refuses a continue token that it did not give', async () => {
      const { client, namespace } = bench();

      const answer = await client.get(`${configMaps(await namespace())}?limit=1&continue=bogus`);

      expect(refusalOf(answer)).toEqual(
        refusal(400, 'BadRequest', expect.stringContaining('continue key is not valid')),
      );
    });
  });

  describe('resourceVersion on a list', () => {
    it('0 is answered from whatever is at hand', async () => {
      const { client, namespace } = bench();

      expect((await client.get(`${configMaps(await namespace())}?resourceVersion=0`)).status).toBe(200);
    });

    it('that is no number is refused', async () => {
      const { client, namespace } = bench();

      const answer = await client.get(`${configMaps(await namespace())}?resourceVersion=abc`);

      expect(refusalOf(answer)).toEqual(refusal(400, 'BadRequest', expect.stringContaining('resourceVersion')));
    });
  });
}

async function createAll(client: Client, namespace: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await client.post(configMaps(namespace), { ...configMap(name), metadata: { name, labels: { law: 'x' } } });
  }
}

function itemsOf(body: Loose): readonly Loose[] {
  return [body['items']].flat().filter((item) => item !== undefined);
}

function namesIn(body: Loose): readonly unknown[] {
  return itemsOf(body).map((item) => item['metadata']?.['name']);
}

function tokenIn({ body }: Answer): string {
  return encodeURIComponent(textOf(body['metadata']?.['continue']));
}
