import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Carrier } from '../../../src/kube/http/http.ts';
import {
  createListWatch,
  type ListFrame,
  type ListWatchOptions,
  type WatchTarget,
} from '../../../src/kube/watch/list-watch.ts';
import { bookmark, CONFIG_MAP, errorLine, kubeList, resourceKind, watchLine } from '../../support/kube-objects.ts';
import { scriptedKubeClient, statusError } from '../../support/scripted-kube-client.ts';

const TARGET: WatchTarget = { kind: CONFIG_MAP };

const UNPINGED: Carrier = { silentForMs: () => 0, lost: new AbortController().signal, isPinged: false };

function listWatch(target: WatchTarget = TARGET, overrides: Partial<ListWatchOptions> = {}, carrier?: Carrier) {
  const client = scriptedKubeClient(carrier === undefined ? {} : { carrier });
  const counts = { contacts: 0, opens: 0, lateLists: 0 };
  const options: ListWatchOptions = {
    withoutStreaming: new Set(),
    onContact: () => counts.contacts++,
    onOpen: () => counts.opens++,
    onLateList: () => counts.lateLists++,
    random: () => 0,
    ...overrides,
  };
  return { client, counts, source: createListWatch(client, target, options) };
}

/** Collects frames in the background; `done` resolves with the error that ended them. */
function drain(frames: AsyncIterable<ListFrame>) {
  const seen: string[] = [];
  const done = (async (): Promise<unknown> => {
    try {
      for await (const frame of frames) seen.push(describeFrame(frame));
      return undefined;
    } catch (error) {
      return error;
    }
  })();
  return { seen, done };
}

function describeFrame(frame: ListFrame): string {
  if (frame.type === 'ListStart') return frame.type;
  if (frame.type === 'ListDone' || frame.type === 'Bookmark') return `${frame.type} ${frame.resourceVersion}`;
  return `${frame.type} ${frame.object.name}`;
}

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a streamed list', () => {
  it('asks for initial events up to a bookmark, and goes on as a watch (point 3)', async () => {
    const { client, source } = listWatch();
    const { seen, done } = drain(source.list('', never));
    const call = await client.next();

    call.send(watchLine('ADDED', { name: 'a', version: 3 }), bookmark(9, { isInitialEventsEnd: true }));
    call.send(watchLine('MODIFIED', { name: 'a', version: 10 }), bookmark(11));
    call.end();

    expect(await done).toBeUndefined();
    expect(call.query).toEqual({
      watch: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '300',
    });
    expect(seen).toEqual(['ListStart', 'Listed a', 'ListDone 9', 'Apply a', 'Bookmark 11']);
  });

  it('asks for nothing older than what was seen (point 1)', async () => {
    const { client, source } = listWatch();
    drain(source.list('42', never));

    expect((await client.next()).query).toMatchObject({ resourceVersion: '42', resourceVersionMatch: 'NotOlderThan' });
  });

  it('puts what is deleted before its end behind it, for it may have been listed before', async () => {
    const { client, source } = listWatch();
    const { seen, done } = drain(source.list('', never));
    const call = await client.next();

    call.send(watchLine('ADDED', { name: 'a' }), watchLine('DELETED', { name: 'a', version: 4 }));
    call.send(bookmark(9, { isInitialEventsEnd: true }));
    call.end();
    await done;

    expect(seen).toEqual(['ListStart', 'Listed a', 'ListDone 9', 'Delete a']);
  });

  it('warns when its end is late (point 3)', async () => {
    const { client, source, counts } = listWatch();
    drain(source.list('', never));
    (await client.next()).send(watchLine('ADDED', { name: 'a' }));

    await vi.advanceTimersByTimeAsync(10_000);

    expect(counts.lateLists).toBe(1);
  });

  it('does not warn when it ended in time', async () => {
    const { client, source, counts } = listWatch();
    drain(source.list('', never));
    (await client.next()).send(bookmark(9, { isInitialEventsEnd: true }));

    await vi.advanceTimersByTimeAsync(60_000);

    expect(counts.lateLists).toBe(0);
  });

  it.each([400, 406, 415, 422])(
    'gives way to pages at once where the server answers %i (points 3, 4)',
    async (status) => {
      const { client, source } = listWatch();
      const { seen, done } = drain(source.list('', never));
      (await client.next()).fail(statusError(status));

      (await client.next()).reply(kubeList([{ name: 'a' }]));

      expect(await done).toBeUndefined();
      expect(seen.slice(-3)).toEqual(['ListStart', 'Listed a', 'ListDone 10']);
    },
  );

  it('is asked for once of a server that does not know it, and again for another kind', async () => {
    const withoutStreaming = new Set<string>();
    const first = listWatch(TARGET, { withoutStreaming });
    drain(first.source.list('', never));
    (await first.client.next()).fail(statusError(422));
    await first.client.next();
    const again = listWatch(TARGET, { withoutStreaming });
    drain(again.source.list('', never));
    const other = listWatch({ kind: resourceKind('Secret') }, { withoutStreaming });
    drain(other.source.list('', never));

    expect([(await again.client.next()).kind, (await other.client.next()).kind]).toEqual(['list', 'watch']);
  });

  it.each([statusError(500), statusError(0), statusError(403)])(
    'that breaks for any cause is followed by pages: %s (point 3)',
    async (error) => {
      const { client, source } = listWatch();
      const first = drain(source.list('', never));
      (await client.next()).fail(error);
      expect(await first.done).toBe(error);

      drain(source.list('', never));

      expect((await client.next()).kind).toBe('list');
    },
  );

  it('is tried again after pages did what it could not', async () => {
    const { client, source } = listWatch();
    const first = drain(source.list('', never));
    (await client.next()).fail(statusError(500));
    await first.done;
    const second = drain(source.list('', never));
    (await client.next()).reply(kubeList([]));
    await second.done;

    drain(source.list('', never));

    expect((await client.next()).kind).toBe('watch');
  });

  it('without an end is an error, not an empty collection', async () => {
    const { client, source } = listWatch();
    const { done } = drain(source.list('', never));

    (await client.next()).end();

    expect(await done).toMatchObject({ reason: 'Malformed' });
  });
});

describe('a paged list', () => {
  const paged = (target?: WatchTarget) => listWatch(target, { withoutStreaming: new Set(['/configmaps', '/secrets']) });

  it('comes in pages of 500 (point 2)', async () => {
    const { client, source, counts } = paged();
    const { seen, done } = drain(source.list('', never));
    const first = await client.next();
    first.reply(kubeList([{ name: 'a' }], { token: 'more' }));
    const second = await client.next();
    second.reply(kubeList([{ name: 'b' }], { version: '12' }));
    await done;

    expect(first.query).toEqual({ limit: '500' });
    expect(second.query).toEqual({ limit: '500', continue: 'more' });
    expect(seen).toEqual(['ListStart', 'Listed a', 'Listed b', 'ListDone 12']);
    expect(counts).toMatchObject({ contacts: 2, opens: 2 });
  });

  it('is not older than what was seen (point 1)', async () => {
    const { client, source } = paged();
    drain(source.list('42', never));

    expect((await client.next()).query).toEqual({
      limit: '500',
      resourceVersion: '42',
      resourceVersionMatch: 'NotOlderThan',
    });
  });

  it('that expires in the middle starts again as one whole list (point 2)', async () => {
    const { client, source } = paged();
    const { seen, done } = drain(source.list('42', never));
    (await client.next()).reply(kubeList([{ name: 'gone-by-now' }], { token: 'more' }));
    (await client.next()).fail(statusError(410));
    const whole = await client.next();
    whole.reply(kubeList([{ name: 'a' }], { version: '50' }));
    await done;

    expect(whole.query).toEqual({});
    expect(seen.slice(-3)).toEqual(['ListStart', 'Listed a', 'ListDone 50']);
  });

  it('that expires on its first page is an error for the reflector (point 2)', async () => {
    const { client, source } = paged();
    const { done } = drain(source.list('42', never));
    const error = statusError(410);

    (await client.next()).fail(error);

    expect(await done).toBe(error);
  });

  it('lets timers run in the middle of thousands of items', async () => {
    vi.useRealTimers();
    const { client, source } = paged();
    const { seen, done } = drain(source.list('', never));
    let seenAtTimer = -1;
    (await client.next()).reply(kubeList(Array.from({ length: 5000 }, (_, index) => ({ name: `n${index}` }))));
    setImmediate(() => {
      seenAtTimer = seen.length;
    });
    await done;

    expect(seenAtTimer).toBeLessThan(500);
    expect(seen).toHaveLength(5002);
  });
});

describe('a watch', () => {
  it('asks for bookmarks and ends by itself after 5 to 10 minutes (points 5, 6)', async () => {
    const { client, source } = listWatch(TARGET, { random: () => 0.999 });
    drain(source.watch('42', never));

    expect((await client.next()).query).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '599',
      resourceVersion: '42',
    });
  });

  it.each([
    [undefined, 70_000],
    [500, 500],
  ])('with an idle time of %s counts as dead after %i ms of silence (point 10)', async (idleTimeoutMs, expected) => {
    const { client, source } = listWatch(TARGET, { idleTimeoutMs });
    drain(source.watch('42', never));

    expect((await client.next()).idleTimeoutMs).toBe(expected);
  });

  it('that no ping looks after ends in good order within 31 s when it is quiet, and asks for an end before that', async () => {
    const { client, source } = listWatch(TARGET, { random: () => 0.999 }, UNPINGED);
    const { seen, done } = drain(source.list('', never));
    const list = await client.next();
    list.open();
    await vi.advanceTimersByTimeAsync(60_000);
    list.send(bookmark(9, { isInitialEventsEnd: true }));
    await vi.advanceTimersByTimeAsync(30_000);
    list.send(bookmark(10));
    await vi.advanceTimersByTimeAsync(30_999);
    const wasOpen = !list.isAborted;
    await vi.advanceTimersByTimeAsync(1);
    const listed = await done;
    const watch = drain(source.watch('10', never));
    const call = await client.next();
    call.open();
    await vi.advanceTimersByTimeAsync(31_000);

    expect([wasOpen, listed, seen]).toEqual([true, undefined, ['ListStart', 'ListDone 9', 'Bookmark 10']]);
    expect([list.query['timeoutSeconds'], call.query['timeoutSeconds']]).toEqual(['599', '29']);
    expect(await watch.done).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that no ping looks after throws what ends it, and the reason of its signal', async () => {
    const { client, source } = listWatch(TARGET, {}, UNPINGED);
    const failed = drain(source.watch('42', never));
    (await client.next()).fail(statusError(500));
    const controller = new AbortController();
    const stopped = drain(source.watch('42', controller.signal));
    (await client.next()).open();
    controller.abort(new Error('enough'));

    expect(await failed.done).toMatchObject({ status: 500 });
    expect(await stopped.done).toMatchObject({ message: 'enough' });
  });

  it('throws the error of an ERROR line (point 9)', async () => {
    const { client, source } = listWatch();
    const { done } = drain(source.watch('42', never));

    (await client.next()).send(errorLine(410, 'Expired'));

    expect(await done).toMatchObject({ code: 'ERR_KUBE_EXPIRED' });
  });

  it('is on the path of its kind and namespace, with its selectors', async () => {
    const kind = resourceKind('Deployment', { group: 'apps' });
    const target = { kind, namespace: 'a', labelSelector: 'app=x', fieldSelector: 'metadata.name=y' };
    const { client, source } = listWatch(target);
    drain(source.watch('42', never));
    const call = await client.next();

    expect(call.path).toBe('/apis/apps/v1/namespaces/a/deployments');
    expect(call.query).toMatchObject({ labelSelector: 'app=x', fieldSelector: 'metadata.name=y' });
  });

  it('reports each contact (point 23)', async () => {
    const { client, source, counts } = listWatch();
    const { done } = drain(source.watch('42', never));
    const call = await client.next();

    call.open();
    call.send(bookmark(43));
    call.end();
    await done;

    expect(counts).toMatchObject({ contacts: 1, opens: 1 });
  });
});
