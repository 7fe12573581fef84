import { describe, expect, it } from 'vitest';
import type { Loose, WatchEvent } from './client.ts';
import { textOf } from './client.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, eventsUntil, refusal, refusalOf, watchLimit } from './target.ts';

const LABELLED = { labels: { law: 'x' } };

/** Watches: order, position, selection, bookmarks, streamed lists, expiry. */
export function watchLaws(bench: () => Bench): void {
  describe('a watch', () => {
    it('tells each change after its position, in order, with the object as it became', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const position = await positionOf(bench(), ns);
      await client.post(configMaps(ns), { metadata: { name: 'a', ...LABELLED }, data: { k: '1' } });
      await client.patch(configMaps(ns, 'a'), 'merge', { data: { k: '2' } });
      await client.delete(configMaps(ns, 'a'));

      const events = await eventsUntil(
        client.watch(`${configMaps(ns)}?watch=true&labelSelector=law&resourceVersion=${position}`, watchLimit()),
        ({ type }) => type === 'DELETED',
      );

      expect(events.map(({ type, object }) => [type, object['data']?.['k']])).toEqual([
        ['ADDED', '1'],
        ['MODIFIED', '2'],
        ['DELETED', '2'],
      ]);
      expect(events[0]?.object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      expect(versionsOf(events)).toEqual(versionsOf(events).toSorted((left, right) => left - right));
      expect(new Set(versionsOf(events)).size).toBe(3);
    });

    it('without a position begins with what is there', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), { metadata: { name: 'a', ...LABELLED } });
      await client.post(configMaps(ns), { metadata: { name: 'b', ...LABELLED } });

      const events = await eventsUntil(
        client.watch(`${configMaps(ns)}?watch=true&labelSelector=law`, watchLimit()),
        ({ object }) => object['metadata']?.['name'] === named('b'),
      );

      expect(events.map(({ type, object }) => [type, object['metadata']?.['name']])).toEqual([
        ['ADDED', 'a'],
        ['ADDED', 'b'],
      ]);
    });

    it('from version 0 begins with what is there', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), { metadata: { name: 'a', ...LABELLED } });

      const events = await eventsUntil(
        client.watch(`${configMaps(ns)}?watch=true&labelSelector=law&resourceVersion=0`, watchLimit()),
        () => true,
      );

      expect(events).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'a' } } }]);
    });

    it('tells of a deletion with the version of the deletion', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), { metadata: { name: 'a', ...LABELLED } });
      await client.delete(configMaps(ns, 'a'));
      const version = textOf(created['metadata']?.['resourceVersion']);

      const [event] = await eventsUntil(
        client.watch(`${configMaps(ns)}?watch=true&labelSelector=law&resourceVersion=${version}`, watchLimit()),
        () => true,
      );

      expect(event?.type).toBe('DELETED');
      expect(Number(event?.object['metadata']?.['resourceVersion'])).toBeGreaterThan(Number(version));
    });

    it('with a selector tells of objects that come to match and cease to', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const position = await positionOf(bench(), ns);
      await client.post(configMaps(ns), configMap('a'));
      await client.patch(configMaps(ns, 'a'), 'merge', { metadata: { labels: { law: 'x' } }, data: { k: '1' } });
      await client.patch(configMaps(ns, 'a'), 'merge', { metadata: { labels: { law: null } }, data: { k: '2' } });

      const events = await eventsUntil(
        client.watch(`${configMaps(ns)}?watch=true&labelSelector=law&resourceVersion=${position}`, watchLimit()),
        ({ type }) => type === 'DELETED',
      );

      expect(events.map(({ type, object }) => [type, object['data']?.['k']])).toEqual([
        ['ADDED', '1'],
        ['DELETED', '1'],
      ]);
    });

    it('of one object by name tells of no other', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const position = await positionOf(bench(), ns);
      await client.post(configMaps(ns), configMap('other'));
      await client.post(configMaps(ns), configMap('a'));

      const [event] = await eventsUntil(
        client.watch(
          `${configMaps(ns)}?watch=true&fieldSelector=metadata.name%3Da&resourceVersion=${position}`,
          watchLimit(),
        ),
        () => true,
      );

      expect(event?.object['metadata']?.['name']).toBe('a');
    });

    it('ends when its time is over', async () => {
      const { client, namespace } = bench();
      const path = `${configMaps(await namespace())}?watch=true&labelSelector=law&timeoutSeconds=1`;

      const events: WatchEvent[] = [];
      for await (const event of client.watch(path, watchLimit())) events.push(event);

      expect(events).toEqual([]);
    });

    it('that asked for bookmarks is told how far it is, before its time is over', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const query = 'watch=true&allowWatchBookmarks=true&timeoutSeconds=4&labelSelector=law';
      const position = await positionOf(bench(), ns);
      const arrived = firstEvent(() =>
        client.watch(`${configMaps(ns)}?${query}&resourceVersion=${position}`, watchLimit()),
      );

      // A bookmark tells of progress, so there has to be some while the watch is open.
      const isOver = (): Promise<boolean> => Promise.race([arrived.then(() => true), pause().then(() => false)]);
      do await client.post(configMaps(ns), { metadata: { generateName: 'unseen-' } });
      while (!(await isOver()));

      const bookmark = await arrived;
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap' } });
      expect(Number(bookmark?.object['metadata']?.['resourceVersion'])).toBeGreaterThan(Number(position));
    });

    it('of custom resources tells their kind', async () => {
      const { client } = bench();
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=true&timeoutSeconds=1';

      for await (const { object } of client.watch(path, watchLimit())) {
        expect(object).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });
      }
    });
  });

  describe('a streamed list', () => {
    it('is what is there, then a bookmark that says so, then what happens', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), { metadata: { name: 'a', ...LABELLED } });
      await client.post(configMaps(ns), { metadata: { name: 'b', ...LABELLED } });
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const stream = client.watch(`${configMaps(ns)}?${query}&labelSelector=law`, watchLimit());

      const initial = [await nextOf(stream), await nextOf(stream), await nextOf(stream)];
      await client.post(configMaps(ns), { metadata: { name: 'c', ...LABELLED } });
      const after = await nextOf(stream);
      await stream.return(undefined);

      expect([...initial, after].map(({ type, object }) => [type, object['metadata']?.['name']])).toEqual([
        ['ADDED', 'a'],
        ['ADDED', 'b'],
        ['BOOKMARK', undefined],
        ['ADDED', 'c'],
      ]);
      expect(initial[2]?.object['metadata']).toMatchObject({
        annotations: { 'k8s.io/initial-events-end': 'true' },
        resourceVersion: expect.stringMatching(/^\d+$/),
      });
    });

    it('must say which versions it accepts', async () => {
      const { client, namespace } = bench();

      const answer = await client.get(`${configMaps(await namespace())}?watch=true&sendInitialEvents=true`);

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
        ),
      );
    });
  });

  describe('a watch from a forgotten position', () => {
    it('is told so by an event', async () => {
      const { client, target, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));
      await target.compact();

      const [event] = await eventsUntil(
        client.watch(`${configMaps(ns)}?watch=true&resourceVersion=1`, watchLimit()),
        () => true,
      );

      expect(event).toEqual({
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/),
          reason: 'Expired',
          code: 410,
        },
      });
    });
  });
}

/** A server that stands still for a second may miss the moment for the bookmark of a watch, but not of one after the other. */
async function firstEvent(open: () => AsyncGenerator<WatchEvent>): Promise<WatchEvent | undefined> {
  for (let watches = 0; watches < 5; watches += 1) {
    for await (const event of open()) return event;
  }
  return undefined;
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
}

function named(name: string): unknown {
  return name;
}

async function positionOf({ client }: Bench, namespace: string): Promise<string> {
  const { body } = await client.get(configMaps(namespace));
  return textOf(body['metadata']?.['resourceVersion']);
}

function versionsOf(events: readonly WatchEvent[]): readonly number[] {
  return events.map(({ object }: { readonly object: Loose }) => Number(object['metadata']?.['resourceVersion']));
}

async function nextOf(stream: AsyncGenerator<WatchEvent>): Promise<WatchEvent> {
  const { value, done } = await stream.next();
  if (done === true) throw new Error('the watch ended early');
  return value;
}
