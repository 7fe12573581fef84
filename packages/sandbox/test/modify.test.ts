import { describe, expect, it } from 'vitest';
import { textAt } from '../src/json-fields.ts';
import { asking, sandboxForTest, widgetDefinition, type Ask } from './support/sandbox.ts';

const maps = '/api/v1/namespaces/default/configmaps';

async function withMap(): Promise<Ask> {
  const sandbox = await sandboxForTest();
  await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } });
  return asking(sandbox);
}

describe('what is written must be what the path says', () => {
  it.each([
    [
      'POST',
      maps,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } },
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      'POST',
      maps,
      { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'b' } },
      'no kind "ConfigMap" is registered for version "v2"',
    ],
    [
      'POST',
      maps,
      { metadata: { name: 'b', namespace: 'other' } },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'PUT',
      `${maps}/a`,
      { metadata: { name: 'b' } },
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'PUT',
      `${maps}/a`,
      { metadata: {} },
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
  ])('%s %s %j is refused', async (method, path, body, message) => {
    const answer = await (await withMap())(method, path, body);

    expect(answer.body).toMatchObject({ code: 400, reason: 'BadRequest', message: expect.stringContaining(message) });
  });

  it('kind and apiVersion of a built-in object may be left out', async () => {
    expect((await (await withMap())('POST', maps, { metadata: { name: 'b' } })).body).toMatchObject({
      kind: 'ConfigMap',
    });
  });

  it('a custom object must name its version', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition());
    const body = { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'w' } };

    const answer = await asking(sandbox)('POST', '/apis/example.com/v1/namespaces/default/widgets', body);

    expect(answer.body).toMatchObject({
      code: 400,
      message: 'the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)',
    });
  });
});

describe('PUT', () => {
  it('creates only what the API server creates so', async () => {
    const ask = await withMap();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

    expect((await ask('PUT', `${maps}/new`, { metadata: { name: 'new' } })).status).toBe(404);
    expect((await ask('PUT', `${leases}/new`, { metadata: { name: 'new' } })).status).toBe(201);
  });

  it('of a custom object must name the resourceVersion', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition());
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { color: 'red' } };
    await sandbox.apply(widget);

    const answer = await asking(sandbox)('PUT', '/apis/example.com/v1/namespaces/default/widgets/w', widget);

    expect(answer.body).toMatchObject({
      code: 422,
      message:
        'widgets.example.com "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    });
  });
});

describe('PATCH', () => {
  it.each([
    ['application/merge-patch+json', { data: { y: '2' } }],
    ['application/strategic-merge-patch+json', { data: { y: '2' } }],
    ['application/json-patch+json', [{ op: 'add', path: '/data/y', value: '2' }]],
  ])('%s changes the object', async (contentType, patch) => {
    const ask = await withMap();

    const answer = await ask('PATCH', `${maps}/a`, patch, contentType);

    expect(answer.body).toMatchObject({ data: { x: '1', y: '2' } });
  });

  it('an apply patch creates, and conflicts with another manager unless it is forced', async () => {
    const ask = await withMap();
    const apply = 'application/apply-patch+yaml';
    const body = (x: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'new' },
      data: { x },
    });

    expect((await ask('PATCH', `${maps}/new?fieldManager=one`, body('1'), apply)).status).toBe(201);
    expect((await ask('PATCH', `${maps}/new?fieldManager=two`, body('2'), apply)).body).toMatchObject({
      code: 409,
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.x' }] },
    });
    expect((await ask('PATCH', `${maps}/new?fieldManager=two&force=true`, body('2'), apply)).body).toMatchObject({
      data: { x: '2' },
    });
  });

  it('a resourceVersion in a patch must be the present one', async () => {
    const patch = { metadata: { resourceVersion: '1' }, data: { y: '1' } };

    const answer = await (await withMap())('PATCH', `${maps}/a`, patch, 'application/merge-patch+json');

    expect(answer.body).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it.each([
    [{ metadata: { name: 'b' } }, 400],
    [{ metadata: { uid: 'other' } }, 422],
    [{ kind: 'Secret' }, 422],
  ])('%j does not make another object of it', async (patch, code) => {
    const answer = await (await withMap())('PATCH', `${maps}/a`, patch, 'application/merge-patch+json');

    expect(answer.body).toMatchObject({ code });
  });

  it('needs a content type that is a patch', async () => {
    expect((await (await withMap())('PATCH', `${maps}/a`, {})).body).toMatchObject({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
    });
  });

  it('an apply patch needs a field manager, and force belongs to it alone', async () => {
    const ask = await withMap();

    expect(textAt((await ask('PATCH', `${maps}/a`, {}, 'application/apply-patch+yaml')).body, 'message')).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
    expect(
      textAt((await ask('PATCH', `${maps}/a?force=true`, {}, 'application/merge-patch+json')).body, 'message'),
    ).toBe('PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch');
  });
});
