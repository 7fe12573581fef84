import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { WatchSubscriber } from '../../../src/kube/watch/shared-watch.ts';
import { createWatches } from '../../../src/kube/watch/shared-watches.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { bookmark, CONFIG_MAP, errorLine, resourceKind } from '../../support/kube-objects.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { scriptedKubeClient, statusError } from '../../support/scripted-kube-client.ts';

const SUBSCRIBER: WatchSubscriber = {
  keepsObjects: false,
  listStarted: () => {},
  listed: () => {},
  listDone: () => {},
  changed: () => {},
  failed: () => {},
  recovered: () => {},
};

const subscriber = (fields: Partial<WatchSubscriber> = {}): WatchSubscriber => ({ ...SUBSCRIBER, ...fields });

function watchesOf() {
  const client = scriptedKubeClient();
  const metrics = createMetrics('');
  let invalidations = 0;
  const clock = { ms: 5000 };
  const watches = createWatches({
    client,
    kinds: {
      invalidate: () => {
        invalidations++;
      },
    },
    log: recordingLogger(),
    metrics,
    now: () => clock.ms,
    random: () => 0,
  });
  return { client, clock, metrics, watches, invalidations: () => invalidations };
}

// Fakes only delays: immediates still run by themselves.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('createWatches', () => {
  it('shares a watch of one target, and nothing less (point 21)', async () => {
    const { client, metrics, watches } = watchesOf();
    const targets = [
      { kind: CONFIG_MAP },
      { kind: { ...CONFIG_MAP } },
      { kind: CONFIG_MAP, namespace: 'a' },
      { kind: CONFIG_MAP, labelSelector: 'x' },
      { kind: CONFIG_MAP, fieldSelector: 'x' },
      { kind: resourceKind('Secret') },
    ];

    const subscriptions = targets.map((target) => watches.subscribe(target, subscriber()));
    await client.next();
    await new Promise(setImmediate);

    expect(client.calls).toHaveLength(5);
    expect([...metrics.watches.series]).toMatchObject([{ value: 5 }]);
    for (const { unsubscribe } of subscriptions) unsubscribe();
    await watches.ended();
  });

  it('ends a watch with its last subscriber', async () => {
    const { client, metrics, watches } = watchesOf();
    const [first, second] = [subscriber(), subscriber()].map((each) => watches.subscribe({ kind: CONFIG_MAP }, each));
    const call = await client.next();

    first?.unsubscribe();
    const abortedEarly = call.isAborted;
    second?.unsubscribe();
    await watches.ended();

    expect([abortedEarly, call.isAborted]).toEqual([false, true]);
    expect([...metrics.watches.series]).toMatchObject([{ value: 0 }]);
  });

  it('starts a new watch for the next subscriber after the last one has left', async () => {
    const { client, watches } = watchesOf();
    watches.subscribe({ kind: CONFIG_MAP }, subscriber()).unsubscribe();

    const { unsubscribe } = watches.subscribe({ kind: CONFIG_MAP }, subscriber());
    await client.next();
    unsubscribe();
    unsubscribe();
    await watches.ended();

    expect(client.calls).toHaveLength(1);
  });

  it('requests only pages from a server that cannot stream lists, for every watch of the kind', async () => {
    const { client, watches } = watchesOf();
    const first = watches.subscribe({ kind: CONFIG_MAP }, subscriber());
    (await client.next()).fail(statusError(422));
    await client.next();

    const second = watches.subscribe({ kind: CONFIG_MAP, namespace: 'a' }, subscriber());

    expect((await client.next()).kind).toBe('list');
    first.unsubscribe();
    second.unsubscribe();
  });

  it('invalidates the kinds when one is gone (point 22)', async () => {
    const { client, invalidations, watches } = watchesOf();
    const failure = Promise.withResolvers<unknown>();
    const { unsubscribe } = watches.subscribe({ kind: CONFIG_MAP }, subscriber({ failed: failure.resolve }));

    (await client.next()).fail(statusError(404));
    await failure.promise;

    expect(invalidations()).toBe(1);
    unsubscribe();
  });

  it('counts restarts by reason and errors by type (point 23)', async () => {
    const { client, metrics, watches } = watchesOf();
    const { unsubscribe } = watches.subscribe({ kind: CONFIG_MAP, namespace: 'a' }, subscriber());
    (await client.next()).send(bookmark(10, { isInitialEventsEnd: true }), errorLine(410, 'Expired'));
    const again = await client.next();
    again.send(bookmark(20, { isInitialEventsEnd: true }));
    again.fail(statusError(0));
    await vi.advanceTimersByTimeAsync(100);
    await client.next();

    expect([...metrics.reflectorRestarts.series]).toMatchObject([
      { labels: { kind: 'ConfigMap', namespace: 'a', reason: 'expired' }, value: 1 },
      { labels: { kind: 'ConfigMap', namespace: 'a', reason: 'connection' }, value: 1 },
    ]);
    const errors = [...metrics.watchErrors.series].filter(({ value }) => value > 0);
    expect(errors.map(({ labels }) => labels['error_type'])).toEqual(['expired', 'unexpected-eof']);
    unsubscribe();
  });

  it('shows the oldest last contact of the watches that share a series (point 23)', async () => {
    const { client, clock, metrics, watches } = watchesOf();
    const subscriptions = ['x', 'y'].map((labelSelector) => {
      const done = Promise.withResolvers<void>();
      const { unsubscribe } = watches.subscribe(
        { kind: CONFIG_MAP, labelSelector },
        subscriber({
          listDone: () => {
            done.resolve();
          },
        }),
      );
      return { done: done.promise, unsubscribe };
    });
    for (const { done } of subscriptions) {
      (await client.next()).send(bookmark(10, { isInitialEventsEnd: true }));
      await done;
      clock.ms += 1000;
    }

    expect(metrics.text()).toContain('watch_last_contact_timestamp_seconds{kind="ConfigMap",namespace=""} 5\n');
    for (const { unsubscribe } of subscriptions) unsubscribe();
  });
});
