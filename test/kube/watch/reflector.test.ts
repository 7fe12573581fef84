import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createListWatch } from '../../../src/kube/watch/list-watch.ts';
import { reflect, RelistRequests, type ReflectorEvent } from '../../../src/kube/watch/reflector.ts';
import type { Restart } from '../../../src/kube/watch/watch-recovery.ts';
import { bookmark, CONFIG_MAP, errorLine, kubeList, watchLine } from '../../support/kube-objects.ts';
import { scriptedKubeClient, statusError, type ScriptedCall } from '../../support/scripted-kube-client.ts';
import { withinVirtual } from '../../support/within.ts';

const controllers: AbortController[] = [];

function reflecting({ isStreaming = true, random = (): number => 0 } = {}) {
  const client = scriptedKubeClient();
  const controller = new AbortController();
  controllers.push(controller);
  const relists = new RelistRequests();
  const restarts: Restart[] = [];
  const source = createListWatch(
    client,
    { kind: CONFIG_MAP },
    {
      withoutStreaming: new Set(isStreaming ? [] : ['/configmaps']),
      onContact: () => {},
      onOpen: () => {},
      onLateList: () => {},
      random,
    },
  );
  const events: string[] = [];
  const ended = (async () => {
    const options = { signal: controller.signal, relists, now: Date.now, random };
    for await (const event of reflect(source, { ...options, onRestart: (restart) => restarts.push(restart) })) {
      events.push(describeEvent(event));
    }
  })();
  return { client, controller, relists, restarts, events, ended, reasons: () => restarts.map(({ reason }) => reason) };
}

function describeEvent(event: ReflectorEvent): string {
  return 'object' in event ? `${event.type} ${event.object.name}` : event.type;
}

/** Answers a streamed list of `names` in version 10 and keeps the watch open. */
function answerList(call: ScriptedCall, ...names: readonly string[]): void {
  call.send(...names.map((name) => watchLine('ADDED', { name })), bookmark(10, { isInitialEventsEnd: true }));
}

/** Answers a list in either form or a watch, whichever it is, with an object. */
function answerWith(name: string, call: ScriptedCall | undefined): void {
  if (call?.kind === 'list') call.reply(kubeList([{ name }]));
  else if (call?.query['sendInitialEvents'] === 'true') answerList(call, name);
  else call?.send(watchLine('ADDED', { name, version: 11 }));
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  for (const controller of controllers.splice(0)) controller.abort();
  vi.useRealTimers();
});

describe('reflect', () => {
  it('lists, then follows', async () => {
    const { client, events } = reflecting();
    const call = await client.next();

    answerList(call, 'a');
    call.send(watchLine('MODIFIED', { name: 'a', version: 11 }), watchLine('DELETED', { name: 'a', version: 12 }));
    await settled();

    expect(events).toEqual(['Init', 'InitApply a', 'InitDone', 'Apply a', 'Delete a']);
  });

  it('watches after pages without a restart', async () => {
    const { client, reasons } = reflecting({ isStreaming: false });
    (await client.next()).reply(kubeList([{ name: 'a' }], { version: '77' }));

    const watch = await client.next();

    expect(watch.query).toMatchObject({ watch: 'true', resourceVersion: '77' });
    expect(reasons()).toEqual([]);
  });

  it('rewatches at once from the last version after a clean end, without a list (points 6, 18)', async () => {
    const { client, events, reasons } = reflecting();
    const first = await client.next();
    answerList(first, 'a');
    first.send(watchLine('MODIFIED', { name: 'a', version: 15 }));
    await vi.advanceTimersByTimeAsync(1000);
    first.end();

    const second = await client.next();

    expect(second.query['resourceVersion']).toBe('15');
    expect(second.query['sendInitialEvents']).toBeUndefined();
    expect(events.filter((event) => event === 'Init')).toHaveLength(1);
    expect(reasons()).toEqual(['end']);
  });

  it('goes on from the version of the last bookmark (point 5)', async () => {
    const { client } = reflecting();
    const first = await client.next();
    answerList(first);
    first.send(bookmark(99));
    await vi.advanceTimersByTimeAsync(1000);
    first.end();

    expect((await client.next()).query['resourceVersion']).toBe('99');
  });

  it('takes no version from the objects of a list that did not end (point 3)', async () => {
    const { client } = reflecting();
    const first = await client.next();
    first.send(watchLine('ADDED', { name: 'a', version: 55 }));
    first.fail(statusError(0));
    await vi.advanceTimersByTimeAsync(200);

    const second = await client.next();

    expect([second.kind, second.query['resourceVersion']]).toEqual(['list', undefined]);
  });

  it('begins a list again when it failed', async () => {
    const { client, events } = reflecting();
    const first = await client.next();
    first.send(watchLine('ADDED', { name: 'a' }));
    first.fail(statusError(0));
    await vi.advanceTimersByTimeAsync(200);
    (await client.next()).reply(kubeList([{ name: 'b' }]));
    await settled();

    expect(events).toEqual(['Init', 'InitApply a', 'Init', 'InitApply b', 'InitDone']);
  });

  it.each([
    ['as a line', (call: ScriptedCall) => call.send(errorLine(410, 'Expired'))],
    ['as an answer', (call: ScriptedCall) => call.fail(statusError(410))],
  ])('lists from the last version after 410 %s, then what is now (points 1, 9)', async (_form, expire) => {
    const { client, reasons } = reflecting();
    const first = await client.next();
    answerList(first);
    expire(first);

    const second = await client.next();
    expire(second);
    const third = await client.next();

    expect(second.query).toMatchObject({ sendInitialEvents: 'true', resourceVersion: '10' });
    expect(third.query['resourceVersion']).toBeUndefined();
    expect(reasons()).toEqual(['expired', 'expired']);
  });

  it('retries a refused connection in place, soon (point 8)', async () => {
    const { client, events } = reflecting();
    const first = await client.next();
    answerList(first, 'a');
    first.fail(statusError(0));
    await vi.advanceTimersByTimeAsync(100);

    const second = await client.next();

    expect(second.query).toMatchObject({ resourceVersion: '10' });
    expect(second.query['sendInitialEvents']).toBeUndefined();
    expect(events.filter((event) => event === 'Init')).toHaveLength(1);
  });

  it.each([
    ['refused connections', () => statusError(0)],
    ['a server that fails', () => statusError(500)],
    ['a server that is overloaded', () => statusError(429)],
    ['a token that is refused', () => statusError(401)],
    ['a right that is missing', () => statusError(403)],
    ['a kind that is gone', () => statusError(404)],
    ['a position that expires', () => statusError(410)],
  ])('has its events within 3 s of the end of any length of %s', async (_what, failure) => {
    // The worst case: maximum delays, and the fault ends just after an attempt.
    const { client, events } = reflecting({ random: () => 1 - Number.EPSILON });
    answerList(await client.next());
    await settled();
    for (let tries = 1; tries < 40; tries++) {
      client.calls.at(-1)?.fail(failure());
      await withinVirtual(3000, () => expect(client.calls.length).toBeGreaterThan(tries));
    }
    client.calls.at(-1)?.fail(failure());
    await withinVirtual(3000, () => expect(client.calls).toHaveLength(41));
    answerWith('late', client.calls.at(-1));
    await settled();

    expect(events.filter((event) => event.endsWith('Apply late'))).toHaveLength(1);
  });

  it('waits longer and longer for a server that cannot be reached to list', async () => {
    const { client, restarts } = reflecting();

    for (let attempt = 0; attempt < 5; attempt++) {
      (await client.next()).fail(statusError(0));
      await vi.advanceTimersByTimeAsync(1000);
    }

    expect(restarts.map(({ delayMs }) => delayMs)).toEqual([100, 200, 400, 800, 1000]);
  });

  it('retries 429 in place after Retry-After (point 8)', async () => {
    const { client } = reflecting();
    const first = await client.next();
    answerList(first);
    first.fail(statusError(429, { retryAfterMs: 5000 }));

    await vi.advanceTimersByTimeAsync(4999);
    expect(client.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);

    expect(client.calls[1]?.query).toMatchObject({ resourceVersion: '10' });
  });

  it('backs off from a watch that ends within a second without events (point 7)', async () => {
    const { client, reasons } = reflecting({ isStreaming: false });
    (await client.next()).reply(kubeList([]));
    (await client.next()).end();

    await vi.advanceTimersByTimeAsync(799);
    expect(client.calls).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);

    expect(client.calls).toHaveLength(3);
    expect(reasons()).toEqual(['short']);
  });

  it('retries an InternalError line in place, and lists after half a minute of them (point 9)', async () => {
    const { client } = reflecting();
    let call = await client.next();
    answerList(call);
    const queries: unknown[] = [];
    for (let attempts = 0; attempts < 4; attempts++) {
      call.send(errorLine(500, 'InternalError'));
      await vi.advanceTimersByTimeAsync(15_000);
      call = await client.next();
      queries.push(call.query['sendInitialEvents'] ?? call.query['resourceVersion']);
    }

    expect(queries).toEqual(['10', '10', '10', 'true']);
  });

  it('lists again after any other ERROR line, and is never silent (point 9)', async () => {
    const { client, restarts } = reflecting();
    const first = await client.next();
    answerList(first);
    first.send(errorLine(422, 'Invalid'));
    await vi.advanceTimersByTimeAsync(800);

    expect((await client.next()).query).toMatchObject({ sendInitialEvents: 'true', resourceVersion: '10' });
    expect(restarts).toMatchObject([{ reason: 'refused', error: { reason: 'Invalid' } }]);
  });

  it('lists again after a line that is not JSON (point 11)', async () => {
    const { client, reasons } = reflecting();
    const first = await client.next();
    answerList(first);
    first.send('{"type":"ADDED","obj');
    await vi.advanceTimersByTimeAsync(800);

    expect((await client.next()).query['sendInitialEvents']).toBe('true');
    expect(reasons()).toEqual(['malformed']);
  });

  it('waits for a kind that is gone, and lists what is there when it returns (point 22)', async () => {
    const { client, events, reasons } = reflecting();
    const first = await client.next();
    answerList(first, 'a');
    first.fail(statusError(404));
    await vi.advanceTimersByTimeAsync(800);
    (await client.next()).fail(statusError(404));
    await vi.advanceTimersByTimeAsync(1600);
    (await client.next()).reply(kubeList([{ name: 'b' }]));
    await settled();

    expect(reasons()).toEqual(['not-found', 'not-found']);
    expect(events.slice(-3)).toEqual(['Init', 'InitApply b', 'InitDone']);
  });

  it('is still there after every failure there is (point 9)', async () => {
    const { client, events } = reflecting();
    let call = await client.next();
    const statuses = [0, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503, 504];
    for (const error of [...statuses.map((status) => statusError(status)), new TypeError('a bug')]) {
      call.fail(error);
      await vi.advanceTimersByTimeAsync(60_000);
      call = await client.next();
    }
    if (call.kind === 'list') call.reply(kubeList([{ name: 'a' }]));
    else answerList(call, 'a');
    await settled();

    expect(events.slice(-2)).toEqual(['InitApply a', 'InitDone']);
  });

  it('ends when the signal aborts, in a watch or in a delay', async () => {
    const watching = reflecting();
    answerList(await watching.client.next());
    const delayed = reflecting();
    (await delayed.client.next()).fail(statusError(500));
    await settled();

    watching.controller.abort();
    delayed.controller.abort();

    await expect(Promise.all([watching.ended, delayed.ended])).resolves.toBeDefined();
  });
});

describe('RelistRequests', () => {
  it('makes a watching reflector list at once from what it has seen', async () => {
    const { client, relists, reasons } = reflecting();
    const first = await client.next();
    answerList(first);
    await settled();

    relists.request();
    const second = await client.next();

    expect(first.isAborted).toBe(true);
    expect(second.query).toMatchObject({ sendInitialEvents: 'true', resourceVersion: '10' });
    expect(reasons()).toEqual(['requested']);
  });

  it.each([true, false])('lets a list that is on its way end before the next (streamed: %s)', async (isStreaming) => {
    const { client, relists, events } = reflecting({ isStreaming });
    const first = await client.next();
    relists.request();
    if (isStreaming) answerList(first, 'a');
    else first.reply(kubeList([{ name: 'a' }]));

    const second = await client.next();

    expect(events).toEqual(expect.arrayContaining(['Init', 'InitApply a', 'InitDone']));
    expect(second.query['resourceVersion']).toBe('10');
    expect(second.query['sendInitialEvents'] ?? second.query['limit']).toBeDefined();
  });

  it('cuts a delay short', async () => {
    const { client, relists } = reflecting();
    const first = await client.next();
    answerList(first);
    first.fail(statusError(500));
    await settled();

    relists.request();
    await settled();

    expect(client.calls[1]?.query['sendInitialEvents']).toBe('true');
  });
});
