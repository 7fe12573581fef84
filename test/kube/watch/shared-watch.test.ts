import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createListWatch } from '../../../src/kube/watch/list-watch.ts';
import type { KubeObject } from '../../../src/kube/object.ts';
import { SharedWatch, type WatchSubscriber } from '../../../src/kube/watch/shared-watch.ts';
import type { ObjectRecord, StoreChange } from '../../../src/kube/watch/store.ts';
import { bookmark, CONFIG_MAP, kubeList, watchLine } from '../../support/kube-objects.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { scriptedKubeClient, statusError, type ScriptedCall } from '../../support/scripted-kube-client.ts';

const controllers: AbortController[] = [];

// Fakes only delays: immediates still run by themselves.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
  for (const controller of controllers.splice(0)) controller.abort();
});

/** A subscriber that records its calls. */
class Listener implements WatchSubscriber {
  readonly keepsObjects: boolean;
  readonly received: string[] = [];
  readonly texts: (Uint8Array | undefined)[] = [];
  readonly #waiters: { readonly text: string; readonly resolve: () => void }[] = [];

  constructor({ keepsObjects = false } = {}) {
    this.keepsObjects = keepsObjects;
  }

  /** Waits until the last recorded call is `text`. */
  async heard(text: string): Promise<void> {
    if (this.received.at(-1) === text) return;
    await new Promise<void>((resolve) => this.#waiters.push({ text, resolve }));
  }

  listStarted(): void {
    this.#tell('start');
  }

  listed({ json }: ObjectRecord, { name, resourceVersion }: KubeObject): void {
    this.texts.push(json);
    this.#tell(`listed ${name}@${resourceVersion}`);
  }

  listDone(gone: readonly ObjectRecord[]): void {
    this.#tell(['done', ...gone.map(({ name, uid }) => `-${name}:${uid}`)].join(' '));
  }

  changed({ type, record }: StoreChange): void {
    this.texts.push(record.json);
    this.#tell(`${type} ${record.name}@${record.resourceVersion}`);
  }

  failed(error: unknown): void {
    this.#tell(`failed ${String(error)}`);
  }

  recovered(): void {
    this.#tell('recovered');
  }

  #tell(text: string): void {
    this.received.push(text);
    for (const waiter of this.#waiters) if (waiter.text === text) waiter.resolve();
  }
}

function sharedWatch(...subscribers: readonly WatchSubscriber[]) {
  const client = scriptedKubeClient();
  const controller = new AbortController();
  controllers.push(controller);
  const log = recordingLogger();
  const watch = new SharedWatch({ log, onRestart: () => {}, now: () => 123, random: () => 0 });
  for (const subscriber of subscribers) watch.add(subscriber);
  const source = createListWatch(
    client,
    { kind: CONFIG_MAP },
    {
      withoutStreaming: new Set(),
      onContact: () => {
        watch.contacted();
      },
      onOpen: () => {
        watch.opened();
      },
      onLateList: () => {},
      random: () => 0,
    },
  );
  const ended = watch.run(source, controller.signal);
  return { client, controller, ended, log, watch };
}

function answerList(call: ScriptedCall, ...specs: Parameters<typeof watchLine>[1][]): void {
  call.send(...specs.map((spec) => watchLine('ADDED', spec)), bookmark(10, { isInitialEventsEnd: true }));
}

describe('SharedWatch', () => {
  it('serves all who subscribe in one turn with one list (point 21)', async () => {
    const [first, second] = [new Listener(), new Listener()];
    const { client, watch } = sharedWatch(first);
    watch.add(second);

    answerList(await client.next(), { name: 'a' });
    await second.heard('done');

    expect(first.received).toEqual(['start', 'listed a@1', 'done']);
    expect(second.received).toEqual(first.received);
    expect(client.calls).toHaveLength(1);
  });

  it('delivers an event to all subscribers before anything else happens', async () => {
    const order: string[] = [];
    const [first, second] = [new Listener(), new Listener()];
    const { client } = sharedWatch(first, second);
    const call = await client.next();
    answerList(call);
    await second.heard('done');
    first.changed = () => {
      order.push('first');
      queueMicrotask(() => order.push('microtask'));
    };
    second.changed = () => order.push('second');

    call.send(watchLine('ADDED', { name: 'a', version: 11 }), watchLine('ADDED', { name: 'b', version: 12 }));
    call.send(bookmark(13));
    await new Promise(setImmediate);

    expect(order).toEqual(['first', 'second', 'microtask', 'first', 'second', 'microtask']);
  });

  it('relists for a late subscriber, without events for the others', async () => {
    const [early, late] = [new Listener(), new Listener()];
    const { client, watch } = sharedWatch(early);
    answerList(await client.next(), { name: 'a' }, { name: 'b' });
    await early.heard('done');
    const before = early.received.length;

    watch.add(late);
    answerList(await client.next(), { name: 'a' }, { name: 'b' });
    await late.heard('done');

    expect(late.received).toEqual(['start', 'listed a@1', 'listed b@1', 'done']);
    expect(early.received.slice(before)).toEqual(['start', 'done']);
  });

  it('gives one who comes during a list the next one, whole', async () => {
    const [early, late] = [new Listener(), new Listener()];
    const { client, watch } = sharedWatch(early);
    const call = await client.next();
    call.send(watchLine('ADDED', { name: 'a' }));
    await early.heard('listed a@1');

    watch.add(late);
    answerList(call, { name: 'b' });
    answerList(await client.next(), { name: 'a' }, { name: 'b' });
    await late.heard('done');

    expect(late.received).toEqual(['start', 'listed a@1', 'listed b@1', 'done']);
  });

  it('delivers only the differences when it relists (point 14)', async () => {
    const listener = new Listener();
    const { client, watch } = sharedWatch(listener);
    answerList(await client.next(), { name: 'same' }, { name: 'changed' }, { name: 'gone' }, { name: 'new-uid' });
    await listener.heard('done');
    const before = listener.received.length;

    watch.relist();
    const specs = [{ name: 'same' }, { name: 'changed', version: 2 }, { name: 'new-uid', uid: 'u2' }, { name: 'new' }];
    answerList(await client.next(), ...specs);
    await new Promise(setImmediate);

    expect(listener.received.slice(before)).toEqual([
      'start',
      'listed changed@2',
      'listed new-uid@1',
      'listed new@1',
      'done -gone:uid-gone -new-uid:uid-new-uid',
    ]);
  });

  it('shares one text of an object, also with one who comes late', async () => {
    const [first, second] = [new Listener({ keepsObjects: true }), new Listener({ keepsObjects: true })];
    const { client, watch } = sharedWatch(first);
    answerList(await client.next(), { name: 'a' });
    await first.heard('done');

    watch.add(second);
    answerList(await client.next(), { name: 'a' });
    await second.heard('done');

    expect(first.texts[0]).toBeDefined();
    expect(second.texts[0]).toBe(first.texts[0]);
  });

  it('keeps no JSON when no subscriber needs it', async () => {
    const listener = new Listener();
    const { client } = sharedWatch(listener);

    answerList(await client.next(), { name: 'a' });
    await listener.heard('done');

    expect(listener.texts).toEqual([undefined]);
  });

  it('reports failures and recoveries, also to a subscriber that joins in between', async () => {
    const [early, late] = [new Listener(), new Listener()];
    const { client, watch } = sharedWatch(early);
    (await client.next()).fail(statusError(0));
    await early.heard('failed KubeError: status 0');

    watch.add(late);
    await vi.advanceTimersByTimeAsync(100);
    (await client.next()).reply(kubeList([]));
    await late.heard('done');

    expect(late.received).toEqual(['failed KubeError: status 0', 'start', 'recovered', 'done']);
  });

  it('does not report a restart without delay', async () => {
    const listener = new Listener();
    const { client } = sharedWatch(listener);
    const call = await client.next();
    answerList(call);
    await listener.heard('done');

    call.fail(statusError(410));
    answerList(await client.next());
    await new Promise(setImmediate);

    expect(listener.received).toEqual(['start', 'done', 'start', 'done']);
  });

  it('warns once of a failure that goes on', async () => {
    const listener = new Listener();
    const { client, log } = sharedWatch(listener);
    for (let attempt = 0; attempt < 3; attempt++) {
      (await client.next()).fail(statusError(0));
      await vi.advanceTimersByTimeAsync(1000);
    }

    expect(log.lines.map(({ level, fields }) => [level, fields['reason']])).toEqual([
      ['warn', 'connection'],
      ['debug', 'connection'],
      ['debug', 'connection'],
    ]);
  });

  it('knows when data last arrived from the server (point 23)', async () => {
    const listener = new Listener();
    const { client, watch } = sharedWatch(listener);
    const call = await client.next();
    const before = watch.lastContactAtMs;

    answerList(call);
    await listener.heard('done');

    expect([before, watch.lastContactAtMs]).toEqual([undefined, 123]);
  });

  it('takes an answer to a ping on its connection for contact, and keeps it when another connection carries it', () => {
    let nowMs = 100_000;
    const watch = new SharedWatch({ log: recordingLogger(), onRestart: () => {}, now: () => nowMs, random: () => 0 });
    const { signal: lost } = new AbortController();
    watch.contacted();
    nowMs = 160_000;
    const silent = watch.lastContactAtMs;
    watch.carriedBy({ silentForMs: () => 1500, lost, isPinged: true });
    const answered = watch.lastContactAtMs;

    watch.carriedBy({ silentForMs: () => Infinity, lost, isPinged: true });

    expect([silent, answered, watch.lastContactAtMs]).toEqual([100_000, 158_500, 158_500]);
  });
});
