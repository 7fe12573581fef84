import { describe, expect, it } from 'vitest';
import { textAt } from '../src/json-fields.ts';
import type { JsonObject } from '../src/json.ts';
import { openWatch, sandboxForTest, widgetDefinition } from './support/sandbox.ts';

const maps = '/api/v1/namespaces/default/configmaps?watch=1';
const streamed = '&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

function map(name: string, changes: JsonObject = {}, namespace = 'default'): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, ...changes };
}

function summary(event: JsonObject): string {
  return `${textAt(event, 'type')} ${textAt(event, 'object', 'metadata', 'name')}`.trim();
}

describe('watches', () => {
  it('without a resourceVersion what is there comes first', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(map('a'));

    const watch = await openWatch(sandbox, maps);
    expect(summary(await watch.next())).toBe('ADDED a');

    await sandbox.apply(map('b'));
    expect(summary(await watch.next())).toBe('ADDED b');
  });

  it('from a resourceVersion everything after it comes, in order, and nothing before', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(map('a'));
    const from = sandbox.resourceVersion;
    await sandbox.apply(map('a', { data: { x: '1' } }));
    await sandbox.delete(map('a'));

    const watch = await openWatch(sandbox, `${maps}&resourceVersion=${from}`);
    await sandbox.apply(map('a'));

    expect([summary(await watch.next()), summary(await watch.next()), summary(await watch.next())]).toEqual([
      'MODIFIED a',
      'DELETED a',
      'ADDED a',
    ]);
  });

  it('a deletion carries the last state at the revision of the deletion', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(map('a', { data: { x: '1' } }));
    const watch = await openWatch(sandbox, `${maps}&resourceVersion=${sandbox.resourceVersion}`);

    await sandbox.delete(map('a'));

    expect(await watch.next()).toMatchObject({
      type: 'DELETED',
      object: { kind: 'ConfigMap', data: { x: '1' }, metadata: { resourceVersion: sandbox.resourceVersion } },
    });
  });

  it('a streamed list ends with a bookmark that says so', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(map('a'));

    const watch = await openWatch(sandbox, maps + streamed);

    expect(summary(await watch.next())).toBe('ADDED a');
    expect(await watch.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: sandbox.resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
  });

  it('the initial events can be left out', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(map('a'));

    const watch = await openWatch(sandbox, `${maps}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`);
    await sandbox.apply(map('b'));

    expect(summary(await watch.next())).toBe('ADDED b');
  });

  it('bookmarks come at their interval, to those who asked', async () => {
    const sandbox = await sandboxForTest({ bookmarkIntervalMs: 10 });
    const asked = await openWatch(sandbox, `${maps}&allowWatchBookmarks=true&resourceVersion=1`);
    const other = await openWatch(sandbox, `${maps}&resourceVersion=1`);

    expect(textAt(await asked.next(), 'type')).toBe('BOOKMARK');
    expect(textAt(await asked.next(), 'type')).toBe('BOOKMARK');
    await sandbox.apply(map('a'));
    expect(summary(await other.next())).toBe('ADDED a');
  });

  it('an object that starts to match is added, one that stops is deleted as it was', async () => {
    const sandbox = await sandboxForTest();
    const labeled = (value: string): JsonObject => map('a', { metadata: { name: 'a', labels: { app: value } } });
    const watch = await openWatch(sandbox, `${maps}&labelSelector=app%3Dweb`);

    await sandbox.apply(labeled('db'));
    await sandbox.apply(labeled('web'));
    await sandbox.apply(labeled('db'));

    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { labels: { app: 'web' } } } });
    expect(await watch.next()).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { app: 'web' }, resourceVersion: sandbox.resourceVersion } },
    });
  });

  it('another namespace is not told of', async () => {
    const sandbox = await sandboxForTest();
    const watch = await openWatch(sandbox, maps);

    await sandbox.apply(map('other', {}, 'kube-system'));
    await sandbox.apply(map('mine'));

    expect(summary(await watch.next())).toBe('ADDED mine');
  });

  it('one object is watched by a field selector', async () => {
    const sandbox = await sandboxForTest();
    const watch = await openWatch(sandbox, `${maps}&fieldSelector=metadata.name%3Db`);

    await sandbox.apply(map('a'));
    await sandbox.apply(map('b'));

    expect(summary(await watch.next())).toBe('ADDED b');
  });

  it('a watch ends when its time is up', async () => {
    const sandbox = await sandboxForTest();
    const watch = await openWatch(sandbox, `${maps}&timeoutSeconds=1`);

    expect(await watch.nextLine()).toBeUndefined();
  });

  it('a compacted resourceVersion is an error in the stream', async () => {
    const sandbox = await sandboxForTest();
    const from = sandbox.resourceVersion;
    await sandbox.apply(map('a'));
    sandbox.compact();

    const watch = await openWatch(sandbox, `${maps}&resourceVersion=${from}`);

    expect(watch.status).toBe(200);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: `too old resource version: ${from} (${sandbox.resourceVersion})`,
      },
    });
    expect(await watch.nextLine()).toBeUndefined();
  });

  it('all watches of one change get it', async () => {
    const sandbox = await sandboxForTest();
    const watches = await Promise.all([1, 2, 3].map(() => openWatch(sandbox, maps)));

    await sandbox.apply(map('a'));

    expect(await Promise.all(watches.map(async (watch) => summary(await watch.next())))).toEqual(
      watches.map(() => 'ADDED a'),
    );
  });

  it('the watches on custom objects end with their definition, after the deletions', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(widgetDefinition());
    await sandbox.apply({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { color: 'red' },
    });
    const watch = await openWatch(sandbox, '/apis/example.com/v1/widgets?watch=1');
    expect(summary(await watch.next())).toBe('ADDED w');

    await sandbox.delete(widgetDefinition());

    expect(summary(await watch.next())).toBe('DELETED w');
    expect(await watch.nextLine()).toBeUndefined();
  });
});
