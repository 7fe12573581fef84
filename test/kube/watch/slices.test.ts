import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { sliceOfText, type SliceHash } from '../../../src/lib/slice-hash.ts';
import { createWatches } from '../../../src/kube/watch/shared-watches.ts';
import { shardSelectorText, type Slice } from '../../../src/kube/watch/slice.ts';
import { createMetrics } from '../../../src/metrics.ts';
import {
  bookmark,
  CONFIG_MAP,
  kubeList,
  resourceKind,
  watchLine,
  type ObjectSpec,
} from '../../support/kube-objects.ts';
import { ObjectsView } from '../../support/objects-view.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { scriptedKubeClient, statusError, type ScriptedCall } from '../../support/scripted-kube-client.ts';

const sliceOf = (namespace: string): Slice => ({ field: 'namespace', index: sliceOfText('fnv1a', namespace) });
const inNamespace = (namespace: string, fields: Partial<ObjectSpec> = {}): ObjectSpec => ({
  name: `in-${namespace}`,
  namespace,
  ...fields,
});

const [RED, BLUE] = ['red', 'blue'].map((namespace) => sliceOf(namespace));
if (RED === undefined || BLUE === undefined || RED.index === BLUE.index) throw new Error('two slices are needed');

function watching(sliceHash: SliceHash = 'fnv1a') {
  const client = scriptedKubeClient();
  const metrics = createMetrics('');
  const watches = createWatches({
    sliceHash,
    client,
    kinds: { invalidate: () => {} },
    log: recordingLogger(),
    metrics,
    now: () => 5000,
    random: () => 0,
  });
  const subscribe = (slice: Slice | undefined, kind = CONFIG_MAP) => {
    const wants = (record: { readonly namespace: string; readonly uid: string }): boolean =>
      slice === undefined || sliceOfText(sliceHash, record[slice.field]) === slice.index;
    const view = new ObjectsView(wants);
    const subscription = watches.subscribe({ kind, ...(slice !== undefined && { slice }) }, view);
    return { view, subscription, unsubscribe: subscription.unsubscribe };
  };
  return { client, metrics, subscribe, watches };
}

/** A list with the echo of what was asked for, unless another one is given. */
function divided(call: ScriptedCall, specs: readonly ObjectSpec[], selector = call.query['shardSelector']) {
  const list = kubeList(specs);
  return { ...list, metadata: { ...list.metadata, shardInfo: { selector } } };
}

const INITIAL_END = bookmark(10, { isInitialEventsEnd: true });

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the text of a slice', () => {
  it.each([
    [0, "shardRange(object.metadata.uid, '0x0000000000000000', '0x0400000000000000')"],
    [17, "shardRange(object.metadata.uid, '0x4400000000000000', '0x4800000000000000')"],
    [63, "shardRange(object.metadata.uid, '0xfc00000000000000', '0x10000000000000000')"],
  ])('%i is %s', (index, text) => {
    expect(shardSelectorText({ field: 'uid', index })).toBe(text);
  });
});

describe('slices by the mixed hash', () => {
  it('are in one watch of all, for which no server is asked to divide', async () => {
    const { client, subscribe } = watching('mixed');
    const slices = ['red', 'blue'].map((name) => ({ field: 'namespace', index: sliceOfText('mixed', name) }) as const);
    expect(new Set(slices.map(({ index }) => index)).size).toBe(2);
    const [red, blue] = slices.map((slice) => subscribe(slice));
    const whole = await client.next();
    whole.open();
    whole.send(watchLine('ADDED', inNamespace('red')), watchLine('ADDED', inNamespace('blue')), INITIAL_END);
    await settled();

    expect(whole.query).not.toHaveProperty('shardSelector');
    expect(red?.view.objects).toEqual(['in-red:uid-in-red@1']);
    expect(blue?.view.objects).toEqual(['in-blue:uid-in-blue@1']);
    expect(client.calls).toHaveLength(1);
  });
});

describe('slices of a server that divides', () => {
  it('ask once with a list of one object, and then list and watch by themselves', async () => {
    const { client, subscribe } = watching();
    const [red, blue] = [subscribe(RED), subscribe(BLUE)];
    const asked = await client.next();
    await settled();
    expect(client.calls).toHaveLength(1);
    expect(asked.query).toEqual({ shardSelector: shardSelectorText(RED), limit: '1' });
    asked.reply(divided(asked, []));
    const calls = [await client.next(), await client.next()];
    for (const call of calls) call.open();
    calls[0]?.send(watchLine('ADDED', inNamespace('red')), INITIAL_END);
    calls[1]?.send(watchLine('ADDED', inNamespace('blue')), INITIAL_END, watchLine('DELETED', inNamespace('blue')));
    await settled();

    expect(calls.map(({ query }) => query['shardSelector'])).toEqual(
      [RED, BLUE].map((slice) => shardSelectorText(slice)),
    );
    expect([red.view.objects, blue.view.objects]).toEqual([['in-red:uid-in-red@1'], []]);
    expect(client.calls).toHaveLength(3);
  });

  it('drop an object of another slice, and go over to a watch of all, which passes only what differs', async () => {
    const { client, metrics, subscribe } = watching();
    const [red, blue] = [subscribe(RED), subscribe(BLUE)];
    const asked = await client.next();
    asked.reply(divided(asked, []));
    const [first, second] = [await client.next(), await client.next()];
    first.send(
      watchLine('ADDED', inNamespace('red')),
      watchLine('ADDED', inNamespace('red', { name: 'old' })),
      INITIAL_END,
    );
    second.send(watchLine('ADDED', inNamespace('blue')), INITIAL_END);
    await settled();
    first.send(watchLine('ADDED', inNamespace('blue', { name: 'foreign', version: 11 })));
    const whole = await client.next();
    await settled();
    expect([first.isAborted, second.isAborted]).toEqual([true, true]);
    expect(whole.query).not.toHaveProperty('shardSelector');
    whole.send(
      watchLine('ADDED', inNamespace('blue')),
      watchLine('ADDED', inNamespace('blue', { name: 'foreign', version: 11 })),
      watchLine('ADDED', inNamespace('red')),
      watchLine('ADDED', inNamespace('green')),
      INITIAL_END,
      watchLine('MODIFIED', inNamespace('red', { version: 12 })),
    );
    await settled();

    expect(red.view.objects).toEqual(['in-red:uid-in-red@12']);
    expect(blue.view.objects).toEqual(['foreign:uid-foreign@11', 'in-blue:uid-in-blue@1']);
    expect([...metrics.watches.series]).toMatchObject([{ value: 1 }]);
    expect(blue.subscription.lastContactAtMs).toBe(5000);
    red.unsubscribe();
    expect(whole.isAborted).toBe(false);
    blue.unsubscribe();
    expect(whole.isAborted).toBe(true);
  });

  it.each(["shardRange(object.metadata.uid, '0x0000000000000000', '0x0400000000000000')", undefined])(
    'go over to a watch of all when a later list echoes %s',
    async (echo) => {
      const { client, subscribe } = watching();
      const red = subscribe(RED);
      const asked = await client.next();
      asked.reply(divided(asked, []));
      (await client.next()).fail(statusError(422));
      const page = await client.next();
      expect(page.query['shardSelector']).toBe(shardSelectorText(RED));
      page.reply(echo === undefined ? kubeList([]) : divided(page, [], echo));
      const whole = await client.next();
      whole.reply(kubeList([inNamespace('red'), inNamespace('blue')]));
      await settled();

      expect(whole.query).not.toHaveProperty('shardSelector');
      expect(red.view.objects).toEqual(['in-red:uid-in-red@1']);
    },
  );

  it('that are added later ask nothing again', async () => {
    const { client, subscribe } = watching();
    subscribe(RED);
    const asked = await client.next();
    asked.reply(divided(asked, []));
    await client.next();
    subscribe(BLUE);

    expect((await client.next()).query).toMatchObject({ watch: 'true', shardSelector: shardSelectorText(BLUE) });
  });

  it('end with their last subscriber, and no other ends with them', async () => {
    const { client, subscribe, watches } = watching();
    const subscriptions = [subscribe(RED), subscribe(RED), subscribe(BLUE)];
    const asked = await client.next();
    asked.reply(divided(asked, []));
    const [red, blue] = [await client.next(), await client.next()];
    subscriptions[0]?.unsubscribe();
    expect(red.isAborted).toBe(false);
    subscriptions[1]?.unsubscribe();

    expect([red.isAborted, blue.isAborted]).toEqual([true, false]);
    subscriptions[2]?.unsubscribe();
    await watches.ended();
  });
});

/** The answers of servers that do not divide. */
const UNDIVIDED: readonly (readonly [string, (call: ScriptedCall) => void])[] = [
  ['no echo', (call) => call.reply(kubeList([inNamespace('red')]))],
  ['another echo', (call) => call.reply(divided(call, [], shardSelectorText({ field: 'uid', index: 1 })))],
  ['400', (call) => call.fail(statusError(400))],
];

describe('slices of a server that does not divide', () => {
  it.each(UNDIVIDED)('share one watch of all after %s, also those that come later', async (_name, answer) => {
    const { client, subscribe } = watching();
    const [red, blue] = [subscribe(RED), subscribe(BLUE)];
    answer(await client.next());
    const whole = await client.next();
    whole.send(...['red', 'blue', 'green'].map((each) => watchLine('ADDED', inNamespace(each))), INITIAL_END);
    await settled();
    expect([red.view.objects, blue.view.objects]).toEqual([['in-red:uid-in-red@1'], ['in-blue:uid-in-blue@1']]);
    const green = subscribe(sliceOf('green'));
    const relisted = await client.next();
    relisted.send(...['red', 'blue', 'green'].map((each) => watchLine('ADDED', inNamespace(each))), INITIAL_END);
    await settled();

    expect(green.view.objects).toEqual(['in-green:uid-in-green@1']);
    expect(whole.isAborted).toBe(true);
    expect(client.calls.filter(({ query }) => 'shardSelector' in query)).toHaveLength(1);
  });

  it('share it with a subscriber of all', async () => {
    const { client, subscribe } = watching();
    const [red, all] = [subscribe(RED), subscribe(undefined)];
    const calls = [await client.next(), await client.next()];
    calls.find(({ kind }) => kind === 'list')?.reply(kubeList([]));
    await settled();
    const whole = calls.find(({ kind }) => kind === 'watch');
    whole?.send(...['red', 'blue'].map((each) => watchLine('ADDED', inNamespace(each))), INITIAL_END);
    const relisted = await client.next();
    relisted.send(...['red', 'blue'].map((each) => watchLine('ADDED', inNamespace(each))), INITIAL_END);
    await settled();

    expect(red.view.objects).toEqual(['in-red:uid-in-red@1']);
    expect(all.view.objects).toEqual(['in-blue:uid-in-blue@1', 'in-red:uid-in-red@1']);
    expect(client.calls).toHaveLength(3);
  });

  it('does not read more of a line of another slice than the field', async () => {
    const { client, subscribe } = watching();
    const red = subscribe(RED);
    (await client.next()).reply(kubeList([]));
    const whole = await client.next();
    whole.send(
      '{"type":"ADDED","object":{"metadata":{"namespace":"blue",broken',
      watchLine('ADDED', inNamespace('red')),
      '{"type":"DELETED","object":{"metadata":{"namespace":"blue",broken',
      INITIAL_END,
    );
    await settled();

    expect(red.view.objects).toEqual(['in-red:uid-in-red@1']);
  });

  it('drops an object whose slice only the parsed object shows', async () => {
    const { client, subscribe } = watching();
    const red = subscribe(RED);
    (await client.next()).reply(kubeList([]));
    const whole = await client.next();
    whole.send(
      String.raw`{"type":"ADDED","object":{"metadata":{"name":"a","namespace":"bl\u0075e"}}}`,
      String.raw`{"type":"ADDED","object":{"metadata":{"name":"b","namespace":"r\u0065d","uid":"b","resourceVersion":"3"}}}`,
      INITIAL_END,
    );
    await settled();

    expect(red.view.objects).toEqual(['b:b@3']);
  });

  it('keeps a kind that is divided apart from one that is not', async () => {
    const { client, subscribe } = watching();
    subscribe(RED);
    (await client.next()).reply(kubeList([]));
    await client.next();
    subscribe(RED, resourceKind('Secret'));
    const asked = await client.next();
    asked.reply(divided(asked, []));

    expect((await client.next()).query).toMatchObject({ watch: 'true', shardSelector: shardSelectorText(RED) });
  });

  it('tells a failure of the question to every slice, and asks again', async () => {
    const { client, subscribe } = watching();
    const failed: string[] = [];
    const [red, blue] = [subscribe(RED), subscribe(BLUE)];
    red.view.failed = () => failed.push('red');
    blue.view.failed = () => failed.push('blue');
    await settled();
    (await client.next()).fail(statusError(403));
    await settled();
    expect(failed).toEqual(['red', 'blue']);
    await vi.advanceTimersByTimeAsync(2000);
    const again = await client.next();

    expect(again.query).toMatchObject({ limit: '1' });
  });
});
