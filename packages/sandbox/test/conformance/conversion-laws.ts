import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { converting, WebhookServer, type Respond } from '../support/webhook-server.ts';
import { textOf, type Answer, type Client, type Loose } from './client.ts';
import type { Bench } from './target.ts';
import { eventsUntil, eventually, freshName, refusal, refusalOf, watchLimit } from './target.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Objects of a custom resource with versions, without and with a converter. */
export function conversionLaws(bench: () => Bench): void {
  let shared: Promise<Things> | undefined;
  // One definition for all laws with a converter: a real server takes seconds to serve a new one. It is told for each
  // law how to convert.
  const things = async (respond: Respond = moving): Promise<Things & { readonly namespace: string }> => {
    shared ??= converted(bench().client);
    const made = await shared;
    made.server.on('/convert', respond);
    onTestFinished(() => made.server.on('/convert', moving));
    return { ...made, namespace: await bench().namespace() };
  };
  afterAll(async () => {
    if (shared === undefined) return;
    const { group, server } = await shared;
    await removed(bench().client, group);
    await server[Symbol.asyncDispose]();
  });

  describe('a converter', () => {
    it('makes what is read in another version of what is stored', async () => {
      const { group, server, namespace } = await things();
      const { client } = bench();
      const made = await client.post(path(group, 'v1', namespace), thing(group, 'v1', 'a', { one: 'x' }));

      const { body } = await client.get(path(group, 'v2', namespace, 'a'));

      expect(body).toMatchObject({ apiVersion: `${group}/v2`, kind: 'Thing', spec: { two: 'x' } });
      expect(body['metadata']).toEqual(made.body['metadata']);
      const seen = server.seen.findLast(
        ({ review }) => textOf(review['request']?.['desiredAPIVersion']) === `${group}/v2`,
      );
      expect(seen).toMatchObject({
        target: '/convert?timeout=30s',
        review: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          request: { uid: expect.any(String), objects: [{ apiVersion: `${group}/v1`, spec: { one: 'x' } }] },
        },
      });
      expect(seen?.review['request']?.['objects']?.[0]?.['metadata']).not.toHaveProperty('resourceVersion');
    });

    it('makes what is stored of what is written in another version', async () => {
      const { group, namespace } = await things();
      const { client } = bench();

      const made = await client.post(path(group, 'v2', namespace), thing(group, 'v2', 'a', { two: 'x' }));
      const patched = await client.patch(path(group, 'v2', namespace, 'a'), 'merge', { spec: { two: 'y' } });
      const stored = await client.get(path(group, 'v1', namespace, 'a'));

      expect(made).toMatchObject({ status: 201, body: { apiVersion: `${group}/v2`, spec: { two: 'x' } } });
      expect(patched.body).toMatchObject({ apiVersion: `${group}/v2`, spec: { two: 'y' } });
      expect(stored.body).toMatchObject({ apiVersion: `${group}/v1`, metadata: { generation: 2 }, spec: { one: 'y' } });
      expect(stored.body['metadata']?.['resourceVersion']).toBe(patched.body['metadata']?.['resourceVersion']);
    });

    it('is behind lists, pages and deletes', async () => {
      const { group, namespace } = await things();
      const { client } = bench();
      for (const name of ['a', 'b', 'c']) {
        await client.post(path(group, 'v1', namespace), thing(group, 'v1', name, { one: name }));
      }

      const { body } = await client.get(path(group, 'v2', namespace));
      const page = await client.get(`${path(group, 'v2', namespace)}?limit=2`);
      const gone = await client.delete(path(group, 'v2', namespace, 'a'));

      expect(specs(body)).toEqual([{ two: 'a' }, { two: 'b' }, { two: 'c' }]);
      expect(specs(page.body)).toEqual([{ two: 'a' }, { two: 'b' }]);
      expect(gone.body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'things' } });
    });

    it('converts each event of a watch, in order', async () => {
      const { group, namespace } = await things();
      const { client } = bench();
      await client.post(path(group, 'v1', namespace), thing(group, 'v1', 'a', { one: '1' }));
      const events = client.watch(`${path(group, 'v2', namespace)}?watch=true&resourceVersion=0`, watchLimit());
      const seen = eventsUntil(events, ({ type }) => type === 'DELETED');

      await client.patch(path(group, 'v1', namespace, 'a'), 'merge', { spec: { one: '2' } });
      await client.patch(path(group, 'v1', namespace, 'a'), 'merge', { spec: { one: '3' } });
      await client.delete(path(group, 'v1', namespace, 'a'));

      const told = (await seen).map(({ type, object }) => [type, object['spec']?.['two'], object['apiVersion']]);
      // What the watch sees first depends on when it began.
      expect(told.slice(-2)).toEqual([
        ['MODIFIED', '3', `${group}/v2`],
        ['DELETED', '3', `${group}/v2`],
      ]);
    });

    it('may change labels and annotations, and nothing else of the metadata', async () => {
      const changing = converting((object) => ({
        ...moved(object),
        metadata: { ...object['metadata'], labels: { of: 'converter' }, generation: 77, finalizers: ['a/b'] },
      }));
      const { group, namespace } = await things(changing);
      const { client } = bench();

      const { body } = await client.post(path(group, 'v2', namespace), thing(group, 'v2', 'a', { two: 'x' }));

      expect(body['metadata']).toMatchObject({ labels: { of: 'converter' }, generation: 1 });
      expect(body['metadata']).not.toHaveProperty('finalizers');
    });

    const FAILED = 'failed';
    const invalid = (change: (metadata: Loose) => unknown): Respond =>
      converting((object) => ({ ...object, metadata: change(object['metadata'] as unknown as Loose) }));
    it.each<[string, Respond, string]>([
      ['its message', converting(moved, { result: { status: 'Failed', message: 'boom' } }), `${FAILED}: boom`],
      [
        'no message',
        converting(moved, { result: { status: 'Failed' } }),
        `${FAILED}: response.result.status was 'Failed', not 'Success'`,
      ],
      [
        'no result',
        converting(moved, { result: undefined }),
        `${FAILED}: response.result.status was '', not 'Success'`,
      ],
      ['too few objects', converting(moved, { convertedObjects: [] }), 'returned 0 objects, expected 1'],
      ['too many objects', converting(moved, { convertedObjects: [{}, {}] }), 'returned 2 objects, expected 1'],
      [
        'another kind',
        converting((object) => ({ ...object, kind: 'Other' })),
        'returned invalid object at index 0: invalid kind (expected Thing, received Other)',
      ],
      [
        'another name',
        invalid((metadata) => ({ ...metadata, name: 'b' })),
        'returned invalid object: must have the same name: a != b',
      ],
      [
        'another uid',
        invalid((metadata) => ({ ...metadata, uid: '' })),
        'returned invalid object: must have the same UID: UID != ',
      ],
      [
        'labels that are no texts',
        invalid((metadata) => ({ ...metadata, labels: { a: 2 } })),
        'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
      ],
      [
        'no response',
        (review) => ({ apiVersion: review['apiVersion'], kind: review['kind'] }),
        `${FAILED}: no response provided`,
      ],
      [
        'nothing',
        () => '{"kind":',
        `${FAILED}: couldn't get version/kind; json parse error: unexpected end of JSON input`,
      ],
    ])('fails the request with %s', async (_what, respond, problem) => {
      const { group, namespace } = await things(respond);

      const answer = await bench().client.post(path(group, 'v2', namespace), thing(group, 'v2', 'a', { two: 'x' }));

      const message = `conversion webhook for ${group}/v2, Kind=Thing ${problem}`;
      const known = { ...refusalOf(answer), message: withoutUid(answer) };
      expect(known).toEqual(refusal(500, undefined, message));
    });

    it('fails the request with another version or the uid of another review', async () => {
      const { group, namespace } = await things(converting((object) => ({ ...object, apiVersion: 'x/v1' })));
      const { client } = bench();
      const post = (): Promise<Answer> =>
        client.post(path(group, 'v2', namespace), thing(group, 'v2', 'a', { two: 'x' }));

      const version = await post();
      (await things(converting(moved, { uid: 'other' }))).server.seen.length = 0;
      const uid = await post();

      const where = `conversion webhook for ${group}/v2, Kind=Thing`;
      expect(version.body['message']).toBe(
        `${where} returned invalid object at index 0: invalid groupVersion (expected ${group}/v1, received x/v1)`,
      );
      expect(withoutUid(uid)).toBe(`${where} failed: expected response.uid="UID", got "other"`);
    });

    it('that is away keeps the stored version served', async () => {
      const { client, namespace } = bench();
      const within = await namespace();
      const group = await defined(client, {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://127.0.0.1:1/convert' }, conversionReviewVersions: ['v1'] },
      });
      onTestFinished(async () => removed(client, group));

      const stored = await client.post(path(group, 'v1', within), thing(group, 'v1', 'a', { one: 'x' }));
      const read = await client.get(path(group, 'v2', within, 'a'));
      const written = await client.post(path(group, 'v2', within), thing(group, 'v2', 'b', { two: 'x' }));

      const problem =
        'failed: Post "https://127.0.0.1:1/convert?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused';
      expect(stored.status).toBe(201);
      expect(refusalOf(read)).toEqual(
        refusal(500, undefined, `conversion webhook for ${group}/v1, Kind=Thing ${problem}`),
      );
      expect(refusalOf(written)).toEqual(
        refusal(500, undefined, `conversion webhook for ${group}/v2, Kind=Thing ${problem}`),
      );
    });
  });

  describe('versions without a converter', () => {
    it('differ in their fields alone', async () => {
      const { client, namespace } = bench();
      const within = await namespace();
      const group = await defined(client, { strategy: 'None' });
      await client.post(path(group, 'v1', within), thing(group, 'v1', 'a', { one: 'x', both: 'y' }));

      const read = await client.get(path(group, 'v2', within, 'a'));
      await client.patch(path(group, 'v2', within, 'a'), 'merge', { spec: { both: 'z' } });
      const stored = await client.get(path(group, 'v1', within, 'a'));

      expect(read.body).toMatchObject({ apiVersion: `${group}/v2` });
      expect(read.body['spec']).toEqual({ both: 'y' });
      expect(stored.body['spec']).toEqual({ both: 'z' });
    });
  });

  describe('the conversion of a definition', () => {
    it.each<[string, unknown, string]>([
      [
        'another strategy',
        { strategy: 'Foo' },
        'spec.conversion.strategy: Unsupported value: "Foo": supported values: "None", "Webhook"',
      ],
      [
        'no webhook',
        { strategy: 'Webhook' },
        '[spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook, spec.conversion.conversionReviewVersions: Required value]',
      ],
      [
        'an unknown version',
        { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v9'] } },
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
      ],
      [
        'a URL without TLS',
        { strategy: 'Webhook', webhook: { clientConfig: { url: 'http://x' }, conversionReviewVersions: ['v1'] } },
        `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ])('is refused with %s', async (_what, conversion, problem) => {
      const group = `${freshName('law')}.example.com`;

      const { status, body } = await bench().client.post(DEFINITIONS, definition(group, conversion));

      expect(status).toBe(422);
      expect(body['message']).toBe(
        `CustomResourceDefinition.apiextensions.k8s.io "things.${group}" is invalid: ${problem}`,
      );
    });
  });
}

interface Things {
  readonly group: string;
  readonly server: WebhookServer;
}

/** v1 calls `one` what v2 calls `two`. */
function moved(object: Loose): Readonly<Record<string, unknown>> {
  const spec = object['spec'];
  const value = spec?.['one'] ?? spec?.['two'];
  const name = textOf(object['apiVersion']).endsWith('/v1') ? 'one' : 'two';
  return { ...object, spec: value === undefined ? {} : { [name]: value } };
}

const moving = converting(moved);

async function converted(client: Client): Promise<Things> {
  const server = await WebhookServer.start();
  const webhook = { clientConfig: server.client('/convert'), conversionReviewVersions: ['v1'] };
  return { server, group: await defined(client, { strategy: 'Webhook', webhook }) };
}

async function defined(client: Client, conversion: unknown): Promise<string> {
  const group = `${freshName('law')}.example.com`;
  const { status, text } = await client.post(DEFINITIONS, definition(group, conversion));
  if (status !== 201) throw new Error(`cannot define things.${group}: ${status} ${text}`);
  await eventually(
    () => client.get(`/apis/${group}/v2`),
    (answer) => answer.status === 200,
  );
  await eventually(
    () => client.get(`/apis/${group}/v1/things`),
    (answer) => answer.status === 200,
  );
  return group;
}

/** Removes a definition. As long as its objects cannot be converted, no namespace of the server can be removed. */
async function removed(client: Client, group: string): Promise<void> {
  const name = `${DEFINITIONS}/things.${group}`;
  await client.patch(name, 'merge', { spec: { conversion: { strategy: 'None', webhook: null } } });
  await client.delete(name);
  await eventually(
    () => client.get(name),
    ({ status }) => status === 404,
  );
}

function definition(group: string, conversion: unknown): unknown {
  const text = { type: 'string' };
  const version = (name: string, field: string): unknown => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { [field]: text, both: text } } },
      },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      conversion,
      versions: [version('v1', 'one'), version('v2', 'two')],
    },
  };
}

function path(group: string, version: string, namespace: string, name?: string): string {
  return `/apis/${group}/${version}/namespaces/${namespace}/things${name === undefined ? '' : `/${name}`}`;
}

function thing(group: string, version: string, name: string, spec: unknown): unknown {
  return { apiVersion: `${group}/${version}`, kind: 'Thing', metadata: { name }, spec };
}

function specs(list: Loose): readonly unknown[] {
  return (list['items'] as unknown as readonly Loose[]).map((item) => item['spec']);
}

function withoutUid({ body }: Answer): string {
  return textOf(body['message']).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'UID');
}
