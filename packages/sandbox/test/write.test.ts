import { describe, expect, it } from 'vitest';
import { numberAt, objectsAt, textAt } from '../src/json-fields.ts';
import { asking, sandboxForTest, widgetDefinition, type Ask } from './support/sandbox.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const merge = 'application/merge-patch+json';

async function fresh(): Promise<Ask> {
  return asking(await sandboxForTest({ now: () => Date.UTC(2030, 0, 1) }));
}

function map(name: string, rest: object = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...rest };
}

describe('creating', () => {
  it('gives an object its identity', async () => {
    const ask = await fresh();

    const { status, body } = await ask('POST', maps, map('a', { data: { x: '1' } }, { deletionTimestamp: 'no' }));

    expect(status).toBe(201);
    expect(body).toMatchObject({
      metadata: {
        name: 'a',
        namespace: 'default',
        creationTimestamp: '2030-01-01T00:00:00Z',
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      data: { x: '1' },
    });
    expect(textAt(body, 'metadata', 'deletionTimestamp')).toBe('');
    expect((await ask('GET', `${maps}/a`)).body).toEqual(body);
  });

  it('makes the same uids and names from the same seed, in whichever order objects are made', async () => {
    const made = async (seed: string | undefined, ...names: readonly string[]): Promise<readonly string[]> => {
      const ask = asking(await sandboxForTest(seed === undefined ? {} : { seed }));
      const all: string[] = [];
      for (const name of names) {
        const metadata = name.endsWith('-') ? { generateName: name } : { name };
        const { body } = await ask('POST', maps, { metadata });
        all.push(`${textAt(body, 'metadata', 'name')} ${textAt(body, 'metadata', 'uid')}`);
      }
      const { body } = await ask('GET', '/api/v1/namespaces/default');
      return [...all, textAt(body, 'metadata', 'uid')].toSorted();
    };
    const names = ['a', 'b', 'gen-', 'gen-'];
    const first = await made('1', ...names);

    expect(await made('1', ...names.toReversed())).toEqual(first);
    expect(new Set(first).size).toBe(5);
    for (const one of first)
      expect(one).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    for (const seed of ['2', undefined]) expect(first).not.toContain((await made(seed, ...names))[0]);
  });

  it('makes a name where only its beginning is given', async () => {
    const { body } = await (await fresh())('POST', maps, { metadata: { generateName: 'gen-' } });

    expect(textAt(body, 'metadata', 'name')).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('says who wrote which fields', async () => {
    const { body } = await (await fresh())('POST', `${maps}?fieldManager=me`, map('a', { data: { x: '1' } }));

    expect(objectsAt(body, 'metadata', 'managedFields')).toMatchObject([
      { manager: 'me', operation: 'Update', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:x': {} } } },
    ]);
  });

  it('twice is a conflict', async () => {
    const ask = await fresh();
    await ask('POST', maps, map('a'));

    expect((await ask('POST', maps, map('a'))).body).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    });
  });

  it('in a missing namespace finds no namespace', async () => {
    expect((await (await fresh())('POST', '/api/v1/namespaces/missing/configmaps', map('a'))).body).toMatchObject({
      code: 404,
      message: 'namespaces "missing" not found',
      details: { name: 'missing', kind: 'namespaces' },
    });
  });

  it('with a resourceVersion is refused', async () => {
    expect((await (await fresh())('POST', maps, map('a', {}, { resourceVersion: '3' }))).body).toMatchObject({
      code: 500,
      message: 'resourceVersion should not be set on objects to be created',
    });
  });

  it('as a dry run leaves nothing', async () => {
    const ask = await fresh();

    expect((await ask('POST', `${maps}?dryRun=All`, map('a'))).status).toBe(201);
    expect((await ask('GET', `${maps}/a`)).status).toBe(404);
  });
});

describe('updating', () => {
  it('a write that changes nothing keeps the resourceVersion', async () => {
    const ask = await fresh();
    const created = await ask('POST', maps, map('a', { data: { x: '1' } }));

    const updated = await ask('PUT', `${maps}/a`, map('a', { data: { x: '1' } }));

    expect(updated.body).toEqual(created.body);
  });

  it('an old resourceVersion is a conflict', async () => {
    const ask = await fresh();
    const { body } = await ask('POST', maps, map('a'));
    await ask('PATCH', `${maps}/a`, { data: { x: '1' } }, merge);

    const refused = await ask('PUT', `${maps}/a`, body);

    expect(refused.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  it('another uid is a conflict', async () => {
    const ask = await fresh();
    await ask('POST', maps, map('a'));

    expect((await ask('PUT', `${maps}/a`, map('a', {}, { uid: 'other' }))).body).toMatchObject({
      code: 409,
      message: expect.stringContaining('Precondition failed: UID in precondition: other'),
    });
  });

  it('what is not the writer\u2019s to set stays', async () => {
    const ask = await fresh();
    const { body } = await ask('POST', maps, map('a'));

    const updated = await ask(
      'PUT',
      `${maps}/a`,
      map('a', { data: { x: '1' } }, { creationTimestamp: '2000-01-01T00:00:00Z' }),
    );

    expect(textAt(updated.body, 'metadata', 'uid')).toBe(textAt(body, 'metadata', 'uid'));
    expect(textAt(updated.body, 'metadata', 'creationTimestamp')).toBe('2030-01-01T00:00:00Z');
  });

  it('the generation counts changes of the spec, not of labels or status', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply(widgetDefinition());
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    await ask('POST', widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { color: 'red' },
    });

    const generation = async (path: string, patch: object): Promise<number | undefined> =>
      numberAt((await ask('PATCH', path, patch, merge)).body, 'metadata', 'generation');

    expect(await generation(`${widgets}/w`, { metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await generation(`${widgets}/w/status`, { status: { replicas: 1 } })).toBe(1);
    expect(await generation(`${widgets}/w`, { spec: { color: 'blue' } })).toBe(2);
  });

  it('a status is written at its own path alone, and nothing else there', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await sandbox.apply(widgetDefinition());
    const path = '/apis/example.com/v1/namespaces/default/widgets/w';
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { color: 'red' } };
    await sandbox.apply({ ...widget, status: { replicas: 9 } });

    const change = { spec: { color: 'blue' }, status: { replicas: 3 }, metadata: { labels: { a: 'b' } } };
    const whole = await ask('PATCH', path, { ...change, metadata: {} }, merge);
    const status = await ask('PATCH', `${path}/status`, { ...change, spec: { color: 'red' } }, merge);

    expect(whole.body).toMatchObject({ spec: { color: 'blue' } });
    expect(whole.body).not.toHaveProperty('status');
    expect(status.body).toMatchObject({ spec: { color: 'blue' }, status: { replicas: 3 } });
    expect(status.body['metadata']).not.toHaveProperty('labels');
  });

  it('as a dry run changes nothing', async () => {
    const ask = await fresh();
    await ask('POST', maps, map('a'));

    expect((await ask('PATCH', `${maps}/a?dryRun=All`, { data: { x: '1' } }, merge)).body).toMatchObject({
      data: { x: '1' },
    });
    expect((await ask('GET', `${maps}/a`)).body).not.toHaveProperty('data');
  });
});
