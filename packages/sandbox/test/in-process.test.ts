import { describe, expect, it } from 'vitest';
import { sandboxForTest, widgetDefinition } from './support/sandbox.ts';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } };

describe('calls without HTTP', () => {
  it('applying creates, and changes what is there', async () => {
    const sandbox = await sandboxForTest();

    await sandbox.apply(map);
    const changed = await sandbox.apply({ ...map, data: { y: '2' } });

    expect(changed).toMatchObject({ metadata: { namespace: 'default' }, data: { y: '2' } });
    expect(changed['data']).not.toHaveProperty('x');
  });

  it('a definition can be used in the next call', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition());

    await sandbox.apply({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { color: 'red' },
    });

    expect((await sandbox.call('GET', '/apis/example.com/v1/widgets')).body).toMatchObject({
      items: [{ kind: 'Widget' }],
    });
  });

  it('what is refused throws with the message of the API', async () => {
    const sandbox = await sandboxForTest();

    await expect(sandbox.apply({ ...map, metadata: { name: 'Bad' } })).rejects.toThrow(
      /^ConfigMap "Bad" was refused with 422: ConfigMap "Bad" is invalid/,
    );
    await expect(sandbox.apply({ ...map, kind: 'Nope' })).rejects.toThrow('no kind "Nope" is served in version "v1"');
    await expect(sandbox.apply({ ...map, metadata: {} })).rejects.toThrow('ConfigMap without metadata.name');
  });

  it('deleting what is not there is no failure', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(map);

    await sandbox.delete(map);
    await sandbox.delete(map);

    expect((await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/a')).code).toBe(404);
  });

  it('a watch needs a connection', async () => {
    const sandbox = await sandboxForTest();

    await expect(sandbox.call('GET', '/api/v1/pods?watch=1')).rejects.toThrow('a watch needs a connection');
  });
});
