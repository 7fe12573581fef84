import { describe, expect, it } from 'vitest';
import type { PatchType } from './client.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, refusal, refusalOf } from './target.ts';

const REJECTED = 'the server rejected our request due to an error in our request';
const TO_MAP = 'json: cannot unmarshal array into Go value of type map[string]interface {}';

/** JSON, merge and strategic merge patches. */
export function patchLaws(bench: () => Bench): void {
  describe('a patch', () => {
    it.each<readonly [PatchType, unknown, Readonly<Record<string, string>>]>([
      ['json', [{ op: 'replace', path: '/data/a', value: '9' }], { a: '9', b: '2' }],
      [
        'json',
        [
          { op: 'remove', path: '/data/a' },
          { op: 'add', path: '/data/c', value: '3' },
        ],
        { b: '2', c: '3' },
      ],
      ['json', [{ op: 'move', from: '/data/a', path: '/data/m' }], { m: '1', b: '2' }],
      ['json', [{ op: 'copy', from: '/data/a', path: '/data/m' }], { a: '1', b: '2', m: '1' }],
      ['json', [{ op: 'test', path: '/data/a', value: '1' }], { a: '1', b: '2' }],
      ['json', [{ op: 'replace', path: '/data/new', value: '1' }], { a: '1', b: '2', new: '1' }],
      ['merge', { data: { a: null, c: '3' } }, { b: '2', c: '3' }],
      ['strategic', { data: { a: null, c: '3' } }, { b: '2', c: '3' }],
      ['strategic', { data: { $patch: 'replace', z: '1' } }, { z: '1' }],
      ['strategic', { data: { $retainKeys: ['a', 'c'], c: '3' } }, { a: '1', c: '3' }],
    ])('%s %j', async (type, patch, expected) => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a', { data: { a: '1', b: '2' } }));

      const { status, body } = await client.patch(configMaps(ns, 'a'), type, patch);

      expect(status).toBe(200);
      expect(body['data']).toEqual(expected);
    });

    it.each<readonly [PatchType, unknown, ...Refused]>([
      ['json', [{ op: 'test', path: '/data/a', value: '2' }], 422, 'Invalid', REJECTED],
      ['json', [{ op: 'remove', path: '/data/nope' }], 422, 'Invalid', REJECTED],
      ['json', [{ op: 'add', path: '/nope/x', value: '1' }], 422, 'Invalid', REJECTED],
      ['json', [{ op: 'bogus', path: '/data/a' }], 422, 'Invalid', REJECTED],
      [
        'json',
        { op: 'add' },
        400,
        'BadRequest',
        'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
      ],
      ['merge', [1], 400, 'BadRequest', `error decoding patch: ${TO_MAP}`],
      ['strategic', [1], 400, 'BadRequest', TO_MAP],
      [
        'strategic',
        { data: { $patch: 'bogus', k: 'x' } },
        500,
        undefined,
        'unknown patch type: bogus in map: map[$patch:bogus k:x]',
      ],
      ['strategic', { data: { $retainKeys: ['a'], c: '3' } }, 400, 'BadRequest', 'invalid patch format of retainKeys'],
      [
        'merge',
        { metadata: { name: 'b' } },
        400,
        'BadRequest',
        'the name of the object (b) does not match the name on the URL (a)',
      ],
      [
        'merge',
        { metadata: { resourceVersion: '1' } },
        409,
        'Conflict',
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      ],
    ])('%s %j is refused with %d', async (type, patch, ...refused) => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a', { data: { a: '1' } }));

      const answer = await client.patch(configMaps(ns, 'a'), type, patch);

      expect(refusalOf(answer)).toEqual(refusal(...refused));
    });

    it('of what is not there is refused', async () => {
      const { client, namespace } = bench();

      const answer = await client.patch(configMaps(await namespace(), 'a'), 'merge', {});

      expect(refusalOf(answer)).toEqual(refusal(404, 'NotFound', 'configmaps "a" not found'));
    });

    it('that changes nothing keeps the resourceVersion', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a', { data: { a: '1' } }));

      const { body } = await client.patch(configMaps(ns, 'a'), 'merge', { data: { a: '1' } });

      expect(body['metadata']?.['resourceVersion']).toBe(created['metadata']?.['resourceVersion']);
    });

    it('cannot change what identifies the object', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const { body: created } = await client.post(configMaps(ns), configMap('a'));

      const { body } = await client.patch(configMaps(ns, 'a'), 'merge', {
        metadata: { creationTimestamp: '2001-01-01T00:00:00Z' },
        data: { k: 'v' },
      });

      expect(body['metadata']?.['creationTimestamp']).toBe(created['metadata']?.['creationTimestamp']);
    });
  });

  describe('a strategic merge patch', () => {
    it('merges containers by name and puts new ones first', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments`;
      const spec = { containers: [{ name: 'a', image: '1', env: [{ name: 'E', value: '1' }] }] };
      const template = { metadata: { labels: { a: 'b' } }, spec };
      await client.post(path, {
        metadata: { name: 'a' },
        spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
      });
      const containers = [
        { name: 'a', image: '2' },
        { name: 'b', image: '1' },
      ];

      const { body } = await client.patch(`${path}/a`, 'strategic', { spec: { template: { spec: { containers } } } });

      expect(body['spec']?.['template']?.['spec']?.['containers']).toMatchObject([
        { name: 'a', image: '2', env: [{ name: 'E', value: '1' }] },
        { name: 'b', image: '1' },
      ]);
    });

    it('merges finalizers as a set, and deletes from it', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), { metadata: { name: 'a', finalizers: ['law.dev/a', 'law.dev/b'] } });

      const more = await client.patch(configMaps(ns, 'a'), 'strategic', { metadata: { finalizers: ['law.dev/c'] } });
      const less = await client.patch(configMaps(ns, 'a'), 'strategic', {
        metadata: { '$deleteFromPrimitiveList/finalizers': ['law.dev/a', 'law.dev/b'] },
      });

      expect(more.body['metadata']?.['finalizers']).toEqual(['law.dev/c', 'law.dev/a', 'law.dev/b']);
      expect(less.body['metadata']?.['finalizers']).toEqual(['law.dev/c']);
    });
  });

  describe('an unknown patch type', () => {
    it('is refused', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));

      const answer = await client.put(configMaps(ns, 'a'), 'text', { contentType: 'text/plain' });

      expect(answer.status).toBe(415);
      expect(answer.body).toMatchObject({ kind: 'Status', reason: 'UnsupportedMediaType', code: 415 });
    });
  });
}

type Refused = readonly [code: number, reason: string | undefined, message: string];
