import { describe, expect, it } from 'vitest';
import { asking, openWatch, sandboxForTest } from '../support/sandbox.ts';

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const maps = '/api/v1/namespaces/default/configmaps';
const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } };
const columns = [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }];

const now = (): number => Date.UTC(2025, 0, 1);

describe('a table', () => {
  it('of a list has a row for each object, with its metadata', async () => {
    const sandbox = await sandboxForTest({ now });
    await sandbox.apply(map);

    const { body } = await asking(sandbox, { accept })('GET', maps);

    expect(body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: sandbox.resourceVersion },
      columnDefinitions: columns,
      rows: [{ cells: ['a', 1, '0s'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } }],
    });
  });

  it('of one object has one row, in the version asked for', async () => {
    const sandbox = await sandboxForTest({ now });
    await sandbox.apply(map);

    const { body } = await asking(sandbox, { accept: accept.replace('v1', 'v1beta1') })('GET', `${maps}/a`);

    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1beta1', rows: [{ cells: ['a', 1, '0s'] }] });
  });

  it.each([
    ['None', null],
    ['Object', { kind: 'ConfigMap', apiVersion: 'v1', data: { x: '1' } }],
    ['Metadata', { kind: 'PartialObjectMetadata' }],
  ])('carries of each object what is asked for: %s', async (include, object) => {
    const sandbox = await sandboxForTest({ now });
    await sandbox.apply(map);

    const { body } = await asking(sandbox, { accept })('GET', `${maps}?includeObject=${include}`);

    expect(body).toMatchObject({ rows: [{ object }] });
  });

  it('says where a list goes on', async () => {
    const sandbox = await sandboxForTest({ now });
    for (const name of ['a', 'b']) await sandbox.apply({ ...map, metadata: { name } });

    const { body } = await asking(sandbox, { accept })('GET', `${maps}?limit=1`);

    expect(body).toMatchObject({ metadata: { continue: expect.any(String), remainingItemCount: 1 } });
  });

  it('is not made of a refusal', async () => {
    const sandbox = await sandboxForTest({ now });

    const { body } = await asking(sandbox, { accept })('GET', `${maps}/none`);

    expect(body).toMatchObject({ kind: 'Status', code: 404 });
  });

  it('says of a Pod that has ended that it is completed', async () => {
    const sandbox = await sandboxForTest({ now });
    const pods = '/api/v1/namespaces/default/pods';
    await sandbox.call('POST', pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'i' }] } });
    const type = 'application/merge-patch+json';
    await sandbox.call('PATCH', `${pods}/p/status`, { status: { phase: 'Succeeded' } }, type);

    const { body } = await asking(sandbox, { accept })('GET', pods);

    expect(body).toMatchObject({ rows: [{ conditions: [{ type: 'Completed', reason: 'Succeeded' }] }] });
  });

  it('comes with each event of a watch, and names its columns once', async () => {
    const sandbox = await sandboxForTest({ now });
    const watch = await openWatch(sandbox, `${maps}?watch=1&allowWatchBookmarks=true`, { accept });

    await sandbox.apply(map);
    await sandbox.apply({ ...map, data: {} });

    const events = [await watch.next(), await watch.next(), await watch.next()];
    expect(events).toMatchObject([
      { type: 'BOOKMARK', object: { kind: 'Table', columnDefinitions: columns } },
      { type: 'ADDED', object: { kind: 'Table', columnDefinitions: null, rows: [{ cells: ['a', 1, '0s'] }] } },
      { type: 'MODIFIED', object: { kind: 'Table', rows: [{ cells: ['a', 0, '0s'] }] } },
    ]);
  });
});
