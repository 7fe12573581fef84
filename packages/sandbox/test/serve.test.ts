import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textAt } from '../src/json-fields.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { asking, openWatch, sandboxForTest } from './support/sandbox.ts';

const pods = '/api/v1/pods';
const maps = '/api/v1/namespaces/default/configmaps';

async function apply(sandbox: Sandbox, name: string): Promise<void> {
  await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
}

describe('faults of an answer', () => {
  it.each([
    [{ type: 'status', code: 410 } as const, 410, 'Expired'],
    [{ type: 'status', code: 500 } as const, 500, 'InternalError'],
    [{ type: 'status', code: 401 } as const, 401, 'Unauthorized'],
  ])('%j is answered once, and then it is over', async (fault, code, reason) => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    sandbox.faults.add({ ...fault, path: pods, times: 1 });

    expect(await ask('GET', pods)).toMatchObject({ status: code, body: { kind: 'Status', code, reason } });
    expect((await ask('GET', pods)).status).toBe(200);
  });

  it('429 says when to come again', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'status', code: 429, retryAfterSeconds: 2 });

    const answer = await asking(sandbox)('GET', pods);

    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.body).toMatchObject({ reason: 'TooManyRequests', details: { retryAfterSeconds: 2 } });
  });

  it('a hang-up leaves no answer', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'hangUp', method: 'POST' });

    await expect(asking(sandbox)('POST', maps, { metadata: { name: 'a' } })).rejects.toThrow('fetch failed');
    expect((await sandbox.call('GET', `${maps}/a`)).code).toBe(404);
  });

  it('a hang-up in the middle leaves half an answer', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'hangUp', path: pods, afterBytes: 10 });

    const response = await fetch(sandbox.url + pods, { headers: { authorization: `Bearer ${sandbox.token}` } });

    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('a truncated answer looks whole', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'truncate', path: pods, afterBytes: 10 });

    expect((await asking(sandbox)('GET', pods)).text).toBe('{"kind":"P');
  });

  it('a delayed answer is still an answer', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'delay', delayMs: 30 });
    const start = performance.now();

    expect((await asking(sandbox)('GET', pods)).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(25);
  });

  it('a delayed answer is told from one that is under way, with who waits for it; a watch is not counted', async () => {
    const sandbox = await sandboxForTest({ callerOf: (token) => `${token}!` });
    sandbox.faults.add({ type: 'delay', delayMs: 60_000 });
    const cancel = new AbortController();
    const headers = { authorization: 'Bearer me' };
    const asked = ['', '?watch=true'].map(async (query) =>
      sandbox.send({ method: 'GET', path: `${pods}${query}`, headers }, cancel.signal).catch(() => 'cancelled'),
    );

    expect([sandbox.delayed, sandbox.unanswered]).toEqual([['me!'], 0]);
    cancel.abort();
    expect(await Promise.all(asked)).toEqual(['cancelled', 'cancelled']);
    expect(sandbox.delayed).toEqual([]);
  });

  it('a stale list shows an older moment', async () => {
    const sandbox = await sandboxForTest();
    const resourceVersion = sandbox.resourceVersion;
    await apply(sandbox, 'a');
    sandbox.faults.add({ type: 'staleList', resourceVersion, path: maps });

    expect((await asking(sandbox)('GET', maps)).body).toMatchObject({ metadata: { resourceVersion }, items: [] });
  });

  it('silence keeps the connection and says nothing', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'silence' });
    const { hostname, port } = new URL(sandbox.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => {
      socket.destroy();
    });
    let heard = '';
    socket.on('data', (chunk) => (heard += String(chunk)));

    socket.write(`GET /version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sandbox.token}\r\n\r\n`);
    while (sandbox.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    sandbox.faults.clear();
    await asking(sandbox)('GET', '/version');

    expect([heard, socket.destroyed, sandbox.requests[0]?.status]).toEqual(['', false, 0]);
  });
});

describe('faults of a watch', () => {
  const watching = `${maps}?watch=1&allowWatchBookmarks=true&resourceVersion=5`;

  it('an open watch falls silent, and others do not', async () => {
    const sandbox = await sandboxForTest();
    const deaf = await openWatch(sandbox, watching);
    sandbox.faults.add({ type: 'silence', watch: true, times: 1 });
    const hearing = await openWatch(sandbox, watching);

    await apply(sandbox, 'a');

    expect(textAt(await hearing.next(), 'type')).toBe('ADDED');
    const heard = await Promise.race([deaf.nextLine().catch(() => 'closed'), asking(sandbox)('GET', '/version')]);
    expect(heard).toMatchObject({ status: 200 });
  });

  it.each([false, true])('an ERROR event ends a watch, open already: %s', async (open) => {
    const sandbox = await sandboxForTest();
    const before = open ? await openWatch(sandbox, watching) : undefined;
    sandbox.faults.add({ type: 'watchError', code: 410, times: 1 });
    const watch = before ?? (await openWatch(sandbox, watching));

    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await watch.nextLine()).toBeUndefined();
  });

  it('a broken line is followed by whole ones', async () => {
    const sandbox = await sandboxForTest();
    const watch = await openWatch(sandbox, watching);
    sandbox.faults.add({ type: 'brokenLine', times: 1 });

    await apply(sandbox, 'a');
    await apply(sandbox, 'b');

    const broken = await watch.nextLine();
    expect(() => JSON.parse(broken ?? '{}')).toThrow();
    expect(await watch.next()).toMatchObject({ object: { metadata: { name: 'b' } } });
  });

  it('a cut line is the last', async () => {
    const sandbox = await sandboxForTest();
    const watch = await openWatch(sandbox, watching);
    sandbox.faults.add({ type: 'cutLine', times: 1 });

    await apply(sandbox, 'a');

    await expect(watch.nextLine()).rejects.toThrow('aborted');
  });

  it('events can come more than once', async () => {
    const sandbox = await sandboxForTest();
    const watch = await openWatch(sandbox, watching);
    sandbox.faults.add({ type: 'duplicate', copies: 2, times: 1 });

    await apply(sandbox, 'a');

    expect(await watch.nextLine()).toBe(await watch.nextLine());
  });

  it('bookmarks can be kept back', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'noBookmarks' });
    const watch = await openWatch(sandbox, `${maps}?watch=1&allowWatchBookmarks=true`);

    await apply(sandbox, 'a');

    expect(textAt(await watch.next(), 'type')).toBe('ADDED');
  });
});

describe('tokens', () => {
  it('a request without the right one is not answered', async () => {
    const sandbox = await sandboxForTest();

    const refused = await asking(sandbox, { authorization: 'Bearer wrong' })('GET', pods);

    expect(refused.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
  });

  it('a new token replaces the old one', async () => {
    const sandbox = await sandboxForTest();
    const old = sandbox.token;

    sandbox.rotateToken('new');

    expect((await asking(sandbox, { authorization: `Bearer ${old}` })('GET', pods)).status).toBe(401);
    expect((await asking(sandbox)('GET', pods)).status).toBe(200);
  });

  it('none is needed where that is allowed, but by a page in a browser', async () => {
    const sandbox = await sandboxForTest({ anonymous: true });

    expect((await fetch(sandbox.url + pods)).status).toBe(200);
    expect((await fetch(sandbox.url + pods, { headers: { origin: 'https://example.com' } })).status).toBe(401);
  });
});
