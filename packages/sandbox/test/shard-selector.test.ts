import { describe, expect, it } from 'vitest';
import { objectAt, objectsAt, textAt } from '../src/json-fields.ts';
import type { JsonObject } from '../src/json.ts';
import { parseShardSelector } from '../src/shard-selector.ts';
import { asking, openWatch, sandboxForTest } from './support/sandbox.ts';

const LOW = "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')";
const HIGH = "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')";

const inNamespace = (namespace: string): JsonObject => ({ metadata: { name: 'a', namespace } });

describe('parseShardSelector', () => {
  // fnv1a('a') = af63dc4c8601ec8c, fnv1a('foobar') = 85944171f73967e8, fnv1a('') = cbf29ce484222325
  it.each([
    ['a', 0xaf63dc4c8601ec8cn],
    ['foobar', 0x85944171f73967e8n],
    ['', 0xcbf29ce484222325n],
  ])('%j has the hash of the 64-bit FNV-1a, and a range holds its start and not its end', (namespace, hash) => {
    const hex = (value: bigint): string => `'0x${value.toString(16).padStart(16, '0')}'`;
    const holds = (start: bigint, end: bigint): boolean =>
      parseShardSelector(`shardRange(object.metadata.namespace, ${hex(start)}, ${hex(end)})`)(inNamespace(namespace));

    expect([holds(hash, hash + 1n), holds(0n, hash), holds(hash + 1n, 2n ** 64n)]).toEqual([true, false, false]);
  });

  it('holds what one of several ranges holds, in any white space', () => {
    const both = parseShardSelector(` ${LOW}||\n${HIGH.replace(', ', ' ,')} `);
    const uid = parseShardSelector("shardRange(object.metadata.uid,'0xaf63dc4c8601ec8c','0xaf63dc4c8601ec8d')");

    expect(both(inNamespace('a'))).toBe(true);
    expect(uid({ metadata: { uid: 'a' } })).toBe(true);
    expect(uid({ metadata: { uid: 'b' } })).toBe(false);
  });

  it.each([
    ['nonsense', 'CEL parse error'],
    [`${LOW} ||`, 'CEL parse error'],
    [`${LOW} && ${HIGH}`, 'CEL parse error'],
    ["range(object.metadata.uid, '0x0', '0x1')", 'unsupported function "range"'],
    ["shardRange(object.metadata.uid, '0x0')", 'requires exactly 3 arguments, got 2'],
    ["shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')", 'unsupported field path'],
    ["shardRange(object.metadata.uid, 0, '0x8000000000000000')", 'hexStart must be a string literal'],
    ["shardRange(object.metadata.uid, '0000000000000000', '0x8000000000000000')", "hexStart must have '0x' prefix"],
    ["shardRange(object.metadata.uid, '0x000000000000000G', '0x8000000000000000')", 'invalid hex character'],
    ["shardRange(object.metadata.uid, '0x0', '0x8000000000000000')", 'must be a 0x-prefixed 16-digit hex value'],
    ["shardRange(object.metadata.uid, '0x0000000000000000', '0x20000000000000000')", '16-digit hex value'],
    ["shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')", 'must be less than end'],
    [`${LOW} || ${HIGH.replace('namespace', 'uid')}`, 'must use the same field'],
  ])('%s is refused with 400', (text, message) => {
    expect(() => parseShardSelector(text)).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining(message) }),
    );
  });
});

const NAMESPACES = Array.from({ length: 12 }, (_, index) => `team-${index}`);

async function sharded(shardedListAndWatch: boolean) {
  const sandbox = await sandboxForTest({ shardedListAndWatch });
  for (const namespace of NAMESPACES) {
    await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } });
  }
  return sandbox;
}

const namespacesIn = (list: JsonObject): readonly string[] =>
  objectsAt(list, 'items').map((item) => textAt(item, 'metadata', 'namespace'));

const pathOf = (query: Readonly<Record<string, string>>): string =>
  `/api/v1/configmaps?${String(new URLSearchParams(query))}`;

describe('a server that shards lists and watches', () => {
  it('divides a list, and echoes the selector on every page, without a count of the rest', async () => {
    const ask = asking(await sharded(true));
    const low = (await ask('GET', pathOf({ shardSelector: LOW }))).body;
    const first = (await ask('GET', pathOf({ shardSelector: HIGH, limit: '1' }))).body;
    const rest = (await ask('GET', pathOf({ shardSelector: HIGH, continue: textAt(first, 'metadata', 'continue') })))
      .body;

    const all = [low, first, rest].flatMap(namespacesIn);
    expect(all.toSorted()).toEqual(NAMESPACES.toSorted());
    expect(namespacesIn(low).length).toBeGreaterThan(0);
    expect(low).toMatchObject({ metadata: { shardInfo: { selector: LOW } } });
    expect([first, rest]).toMatchObject([
      { metadata: { shardInfo: { selector: HIGH } } },
      { metadata: { shardInfo: { selector: HIGH } } },
    ]);
    expect(objectAt(first, 'metadata')).not.toHaveProperty('remainingItemCount');
  });

  it('divides a watch and its initial events; the bookmark has no echo, for it is an object', async () => {
    const sandbox = await sharded(true);
    const listed = namespacesIn((await asking(sandbox)('GET', pathOf({ shardSelector: LOW }))).body);
    const [mine = ''] = listed;
    const other = NAMESPACES.find((namespace) => !listed.includes(namespace));
    const watch = await openWatch(
      sandbox,
      pathOf({
        watch: 'true',
        shardSelector: LOW,
        sendInitialEvents: 'true',
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: 'true',
      }),
    );
    const seen: JsonObject[] = [];
    for (let count = 0; count <= listed.length; count++) seen.push(await watch.next());
    for (const namespace of [other, mine]) {
      await sandbox.delete({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: namespace ?? '' },
      });
    }

    expect(seen.map((event) => textAt(event, 'object', 'metadata', 'namespace'))).toEqual([...listed, '']);
    expect(objectAt(seen.at(-1), 'object', 'metadata')).not.toHaveProperty('shardInfo');
    expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { namespace: mine } } });
  });

  it('refuses a malformed selector with 400', async () => {
    const { status, body } = await asking(await sharded(true))('GET', pathOf({ shardSelector: 'all' }));

    expect(status).toBe(400);
    expect(body).toMatchObject({ reason: 'BadRequest' });
  });

  it('deletes with the collection only what the selector holds', async () => {
    const ask = asking(await sharded(true));
    const low = namespacesIn((await ask('GET', pathOf({ shardSelector: LOW }))).body);
    const [mine = ''] = low;
    const path = `/api/v1/namespaces/${mine}/configmaps?${String(new URLSearchParams({ shardSelector: HIGH }))}`;
    await ask('DELETE', path);

    expect(namespacesIn((await ask('GET', pathOf({ shardSelector: LOW }))).body)).toEqual(low);
  });
});

describe('a server without the feature', () => {
  it.each([LOW, 'all'])('ignores the selector %s, and echoes nothing', async (shardSelector) => {
    const { status, body } = await asking(await sharded(false))('GET', pathOf({ shardSelector }));

    expect(status).toBe(200);
    expect(namespacesIn(body).toSorted()).toEqual(NAMESPACES.toSorted());
    expect(objectAt(body, 'metadata')).not.toHaveProperty('shardInfo');
  });
});
