import { describe, expect, it } from 'vitest';
import { respond } from '../../src/respond.ts';
import { asking, sandboxForTest } from '../support/sandbox.ts';
import { configuration, map, MAPS, webhookRig } from '../support/webhook-rig.ts';
import { allowing, patching } from '../support/webhook-server.ts';
import { textOf } from '../conformance/client.ts';
import { createIds } from '../../src/ids.ts';
import { Kinds } from '../../src/kinds.ts';
import { Storage } from '../../src/storage.ts';
import { Watches } from '../../src/watch.ts';
import { Registrations } from '../../src/webhooks/registrations.ts';
import { WebhookClient } from '../../src/webhooks/webhook-client.ts';

const MUTATING = 'MutatingWebhookConfiguration';
const VALIDATING = 'ValidatingWebhookConfiguration';

describe('admission webhooks', () => {
  it('are asked again about an object that changed while they were asked', async () => {
    const { sandbox, server } = await webhookRig();
    await sandbox.apply(map('a', { first: '1' }));
    await sandbox.apply(configuration(MUTATING, server.client('/hook')));
    const meanwhile: Promise<unknown>[] = [];
    server.on('/hook', (review, response) => {
      const isFirst = server.seen.length === 1;
      if (isFirst) meanwhile.push(sandbox.call('PATCH', `${MAPS}/a`, { data: { second: '2' } }, MERGE));
      const answer = (): void => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(allowing()(review, response)));
      };
      // The other write has been asked about and done before the first gets its answer.
      void Promise.all(meanwhile.splice(0)).then(answer);
      return undefined;
    });

    const { body } = await sandbox.call('PATCH', `${MAPS}/a`, { data: { third: '3' } }, MERGE);

    expect(body).toMatchObject({ data: { first: '1', second: '2', third: '3' } });
    expect(server.seen.map(({ review }) => review['request']?.['object']?.['data'])).toEqual([
      { first: '1', third: '3' },
      { first: '1', second: '2' },
      { first: '1', second: '2', third: '3' },
    ]);
  });

  it('change what is applied without HTTP', async () => {
    const { sandbox, server } = await webhookRig();
    await sandbox.apply(configuration(MUTATING, server.client('/hook')));
    server.on('/hook', patching([{ op: 'add', path: '/data/by', value: 'webhook' }]));

    const applied = await sandbox.apply(map('a', { k: 'v' }));

    expect(applied['data']).toEqual({ k: 'v', by: 'webhook' });
  });

  it('refuse what is applied without HTTP', async () => {
    const { sandbox, server } = await webhookRig();
    await sandbox.apply(configuration(VALIDATING, server.client('/hook')));
    server.on('/hook', allowing({ allowed: false, status: { message: 'no', code: 403 } }));

    await expect(sandbox.apply(map('a'))).rejects.toThrow(
      'ConfigMap "a" was refused with 403: admission webhook "rig.example.com" denied the request: no',
    );
  });

  it('decide on each object of a deletion of many: what was allowed before a denial is deleted', async () => {
    const { sandbox, server } = await webhookRig();
    for (const name of ['a', 'b', 'c']) await sandbox.apply(map(name));
    await sandbox.apply(configuration(VALIDATING, server.client('/hook')));
    server.on('/hook', (review, response) => {
      const isB = textOf(review['request']?.['oldObject']?.['metadata']?.['name']) === 'b';
      return allowing({ allowed: !isB })(review, response);
    });

    const { code } = await sandbox.call('DELETE', MAPS);
    const left = await sandbox.call('GET', MAPS);

    expect(code).toBe(400);
    expect(left.body).toMatchObject({ items: [{ metadata: { name: 'b' } }, { metadata: { name: 'c' } }] });
    expect(server.seen).toHaveLength(2);
  });

  it('come with a state that has them, conditions and all', async () => {
    const { sandbox, server } = await webhookRig();
    const matchConditions = [{ name: 'k', expression: 'object.data.k == "v"' }];
    await sandbox.apply(configuration(VALIDATING, server.client('/hook'), { matchConditions }));
    const later = await sandboxForTest({ state: sandbox.state });

    await later.apply(map('a', { k: 'v' }));
    await later.apply(map('b', { k: 'w' }));

    expect(server.seen.map(({ review }) => review['request']?.['name'])).toEqual(['a']);
  });

  it('are not taken with an authorizer in a condition, and the refusal says so', async () => {
    const { sandbox, server } = await webhookRig();
    const expression = 'authorizer.group("").resource("pods").check("get").allowed()';
    const refused = sandbox.apply(
      configuration(VALIDATING, server.client('/hook'), { matchConditions: [{ name: 'k', expression }] }),
    );

    await expect(refused).rejects.toThrow('the sandbox has no authorizer in match conditions');
  });

  it('have at most 1 s for a condition', async () => {
    const { sandbox, server } = await webhookRig();
    const expression = 'object.data.k.matches("^(a+)+$")';
    await sandbox.apply(
      configuration(VALIDATING, server.client('/hook'), { matchConditions: [{ name: 'k', expression }] }),
    );

    const refused = sandbox.apply(map('a', { k: `${'a'.repeat(40)}!` }));

    await expect(refused).rejects.toThrow('the evaluation of a match condition took longer than 1 s');
  });

  it('get their warnings to the client in UTF-8', async () => {
    const { sandbox, server } = await webhookRig();
    await sandbox.apply(configuration(VALIDATING, server.client('/hook')));
    server.on('/hook', allowing({ warnings: ['größer als 5 € 🙂'] }));

    const { headers } = await asking(sandbox)('POST', MAPS, map('a'));

    const bytes = Buffer.from(headers.get('warning') ?? '', 'latin1');
    expect(bytes.toString('utf8')).toBe('299 - "größer als 5 € 🙂"');
  });

  it('cost a request nothing where there are none: it is answered at once', () => {
    const storage = new Storage();
    const webhookClient = new WebhookClient(() => ({ problem: 'there are no services' }));
    const webhooks = new Registrations(storage);
    const rest = { mirrored: new Set<string>(), now: Date.now, authorize: () => true, user: 'admin' };
    const basics = { storage, kinds: new Kinds(), ids: createIds(undefined) };
    const cluster = { ...basics, webhooks, webhookClient, ...rest };
    const api = { cluster, watches: new Watches(cluster, 60_000), serverAddress: () => '' };
    const request = { method: 'GET', path: MAPS, query: new URLSearchParams(), headers: {}, body: '' };

    expect(respond(api, request)).toMatchObject({ code: 200 });
  });
});

const MERGE = 'application/merge-patch+json';
