import { describe, expect, it } from 'vitest';
import { asking, openWatch, sandboxForTest } from './support/sandbox.ts';

describe('the HTTP side', () => {
  it('remembers what was asked and what was answered', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox, { 'user-agent': 'test/1' });
    await ask('GET', '/api/v1/pods?limit=5');
    await ask('GET', '/nope');

    expect(sandbox.requests).toEqual([
      { method: 'GET', path: '/api/v1/pods', query: 'limit=5', watch: false, userAgent: 'test/1', status: 200 },
      { method: 'GET', path: '/nope', query: '', watch: false, userAgent: 'test/1', status: 404 },
    ]);
    sandbox.clearRequests();
    expect(sandbox.requests).toEqual([]);
  });

  it('documents are printed for people', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);

    expect((await ask('GET', '/version?pretty=true')).text).toContain('{\n  "major": "1",\n');
    expect((await ask('GET', '/api/v1/pods?pretty=1')).text).toContain('{\n  "kind": "PodList",\n');
    expect((await asking(sandbox, { 'user-agent': 'curl/8' })('GET', '/version')).text).toContain('{\n  "major"');
  });

  it('a large list arrives whole', async () => {
    const sandbox = await sandboxForTest();
    const pad = 'x'.repeat(100_000);
    for (let index = 0; index < 30; index += 1) {
      await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `m${index}` }, data: { pad } });
    }

    const { body } = await asking(sandbox)('GET', '/api/v1/configmaps');

    expect(body['items']).toHaveLength(30);
  });

  it('dropped watches break, those that are not meant go on', async () => {
    const sandbox = await sandboxForTest();
    const maps = await openWatch(sandbox, '/api/v1/configmaps?watch=1');
    const secrets = await openWatch(sandbox, '/api/v1/secrets?watch=1');

    expect(sandbox.dropWatches({ path: '/api/v1/configmaps' })).toBe(1);

    await expect(maps.nextLine()).rejects.toThrow('aborted');
    await sandbox.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    expect(await secrets.next()).toMatchObject({ type: 'ADDED' });
  });
});
