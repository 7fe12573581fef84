import { describe, expect, it } from 'vitest';
import type { Answer, Client } from './client.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, refusal, refusalOf } from './target.ts';

/** Server-side apply: ownership and conflicts. */
export function applyLaws(bench: () => Bench): void {
  describe('server-side apply', () => {
    it('creates with 201, and owns what it applied', async () => {
      const { client, namespace } = bench();

      const answer = await apply(client, await namespace(), { by: 'me', data: { k: 'v' } });

      expect(answer.status).toBe(201);
      expect(answer.body['metadata']?.['managedFields']).toEqual([
        {
          manager: 'me',
          operation: 'Apply',
          apiVersion: 'v1',
          time: expect.any(String),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:k': {} } },
        },
      ]);
    });

    it.each([
      ['serviceAccountName alone leaves it', {}, 'a'],
      ['both names of the service account takes both away', { serviceAccount: 'a' }, undefined],
    ])('without what was %s', async (_what, beside, left) => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments/a?fieldManager=me`;
      const labels = { a: 'b' };
      const deployment = (spec: object): object => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
        },
      });

      const first = await client.patch(path, 'apply', deployment({ serviceAccountName: 'a', ...beside }));
      const second = await client.patch(path, 'apply', deployment({}));

      const accounts = ({ body }: Answer): unknown => {
        const spec = body['spec']?.['template']?.['spec'];
        return [spec?.['serviceAccountName'], spec?.['serviceAccount']];
      };
      expect(accounts(first)).toEqual(['a', 'a']);
      expect(accounts(second)).toEqual([left, left]);
    });

    it('with a resourceVersion that no object has creates, and refuses what is there', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();

      const created = await apply(client, ns, { by: 'me', data: { k: 'v' }, metadata: { resourceVersion: '1' } });
      const refused = await apply(client, ns, { by: 'me', data: { k: 'w' }, metadata: { resourceVersion: '1' } });

      expect(created.status).toBe(201);
      const explanation = 'the object has been modified; please apply your changes to the latest version and try again';
      expect(refusalOf(refused)).toEqual(
        refusal(409, 'Conflict', `Operation cannot be fulfilled on configmaps "a": ${explanation}`),
      );
    });

    it('with a uid changes only the object that has it', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      const uid = '00000000-0000-0000-0000-000000000000';

      const absent = await apply(client, ns, { by: 'me', data: {}, metadata: { uid } });
      const created = await apply(client, ns, { by: 'me', data: {} });
      const another = await apply(client, ns, { by: 'me', data: {}, metadata: { uid } });
      const same = await apply(client, ns, {
        by: 'me',
        data: { k: 'v' },
        metadata: { uid: created.body['metadata']?.['uid'] },
      });

      const mismatch = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      expect(refusalOf(absent)).toEqual(
        refusal(409, 'Conflict', `Operation cannot be fulfilled on configmaps "a": ${mismatch}`),
      );
      const immutable = `metadata.uid: Invalid value: "${uid}": field is immutable`;
      expect(refusalOf(another)).toEqual(refusal(422, 'Invalid', `ConfigMap "a" is invalid: ${immutable}`));
      expect(same.status).toBe(200);
    });

    it('repeated changes nothing', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();

      const first = await apply(client, ns, { by: 'me', data: { k: 'v' } });
      const second = await apply(client, ns, { by: 'me', data: { k: 'v' } });

      expect(second.status).toBe(200);
      expect(second.body).toEqual(first.body);
    });

    it('removes what is no longer applied, unless another owns it too', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await apply(client, ns, { by: 'me', data: { mine: '1', ours: '1' } });
      await apply(client, ns, { by: 'you', data: { ours: '1' } });

      const { body } = await apply(client, ns, { by: 'me', data: {} });

      expect(body['data']).toEqual({ ours: '1' });
    });

    it('refuses to change what another owns, naming the field and the owner', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(`${configMaps(ns)}?fieldManager=kubectl`, configMap('a', { data: { k: 'v' } }));

      const answer = await apply(client, ns, { by: 'me', data: { k: 'w' } });

      expect(refusalOf(answer)).toEqual(
        refusal(409, 'Conflict', 'Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.k'),
      );
      expect(answer.body['details']).toEqual({
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl" using v1', field: '.data.k' }],
      });
    });

    it('names all fields in conflict', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await apply(client, ns, { by: 'you', data: { a: '1', b: '1' } });

      const answer = await apply(client, ns, { by: 'me', data: { a: '2', b: '2' } });

      expect(refusalOf(answer)).toEqual(
        refusal(409, 'Conflict', 'Apply failed with 2 conflicts: conflicts with "you":\n- .data.a\n- .data.b'),
      );
    });

    it('by force takes the field over', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await apply(client, ns, { by: 'you', data: { k: '1' } });

      const forced = await apply(client, ns, { by: 'me', data: { k: '2' }, force: true });
      const answer = await apply(client, ns, { by: 'you', data: { k: '1' } });

      expect(forced.body['data']).toEqual({ k: '2' });
      expect(answer.status).toBe(409);
    });

    it('loses a field to whoever updates it', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await apply(client, ns, { by: 'me', data: { k: '1', l: '1' } });

      const { body } = await client.patch(`${configMaps(ns, 'a')}?fieldManager=you`, 'merge', { data: { k: '2' } });

      expect(body['metadata']?.['managedFields']).toMatchObject([
        { manager: 'me', operation: 'Apply', fieldsV1: { 'f:data': { 'f:l': {} } } },
        { manager: 'you', operation: 'Update', fieldsV1: { 'f:data': { 'f:k': {} } } },
      ]);
    });

    it('merges containers by name', async () => {
      const { client, namespace } = bench();
      const path = `/apis/apps/v1/namespaces/${await namespace()}/deployments/a?fieldManager=me`;
      const deployment = (containers: readonly unknown[]): unknown => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers } },
        },
      });

      await client.patch(`${path}?fieldManager=me`, 'apply', deployment([{ name: 'c', image: '1' }]));
      const { body } = await client.patch(
        `${path}?fieldManager=you`,
        'apply',
        deployment([{ name: 'c', env: [{ name: 'E', value: '1' }] }]),
      );

      expect(body['spec']?.['template']?.['spec']?.['containers']).toMatchObject([
        { name: 'c', image: '1', env: [{ name: 'E', value: '1' }] },
      ]);
    });

    it('refuses a missing field manager', async () => {
      const { client, namespace } = bench();

      const answer = await client.patch(configMaps(await namespace(), 'a'), 'apply', configMap('a'));

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
        ),
      );
    });

    it('refuses another kind', async () => {
      const { client, namespace } = bench();
      const path = `${configMaps(await namespace(), 'a')}?fieldManager=me`;

      const answer = await client.patch(path, 'apply', { apiVersion: 'v1', kind: 'Secret' });

      expect(refusalOf(answer)).toEqual(refusal(400, 'BadRequest', 'invalid object type: /v1, Kind=Secret'));
    });

    it('accepts YAML', async () => {
      const { client, namespace } = bench();
      const path = `${configMaps(await namespace(), 'a')}?fieldManager=me`;

      const { status, body } = await client.patch(
        path,
        'apply',
        '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n',
      );

      expect(status).toBe(201);
      expect(body['metadata']?.['name']).toBe('a');
    });
  });

  describe('force', () => {
    it('is refused on other patches', async () => {
      const { client, namespace } = bench();
      const ns = await namespace();
      await client.post(configMaps(ns), configMap('a'));

      const answer = await client.patch(`${configMaps(ns, 'a')}?force=true`, 'merge', {});

      expect(refusalOf(answer)).toEqual(
        refusal(
          422,
          'Invalid',
          'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
        ),
      );
    });
  });
}

interface Applied {
  readonly by: string;
  readonly data: Readonly<Record<string, string>>;
  readonly force?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

async function apply(
  client: Client,
  namespace: string,
  { by, data, force = false, metadata = {} }: Applied,
): Promise<Answer> {
  const path = `${configMaps(namespace, 'a')}?fieldManager=${by}&force=${String(force)}`;
  return client.patch(path, 'apply', configMap('a', { data, metadata: { name: 'a', ...metadata } }));
}
