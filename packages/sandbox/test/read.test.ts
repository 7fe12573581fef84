import { describe, expect, it } from 'vitest';
import { objectsAt, textAt } from '../src/json-fields.ts';
import type { JsonObject } from '../src/json.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { asking, sandboxForTest } from './support/sandbox.ts';

const maps = '/api/v1/namespaces/default/configmaps';

async function withMaps(...names: readonly string[]): Promise<Sandbox> {
  const sandbox = await sandboxForTest();
  for (const name of names) {
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { name } }, data: { name } });
  }
  return sandbox;
}

function namesIn(list: JsonObject): readonly string[] {
  return objectsAt(list, 'items').map((item) => textAt(item, 'metadata', 'name'));
}

describe('lists', () => {
  it('the items of a built-in kind leave out kind and apiVersion, the list has them', async () => {
    const ask = asking(await withMaps('a'));

    const { body } = await ask('GET', maps);

    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', items: [{ data: { name: 'a' } }] });
    expect(objectsAt(body, 'items')[0]).not.toHaveProperty('kind');
  });

  it('selectors choose, in one namespace or in all', async () => {
    const ask = asking(await withMaps('a', 'b', 'c'));

    expect(namesIn((await ask('GET', `${maps}?labelSelector=name%20in%20(a,c)`)).body)).toEqual(['a', 'c']);
    expect(namesIn((await ask('GET', '/api/v1/configmaps?fieldSelector=metadata.name%3Db')).body)).toEqual(['b']);
    expect(namesIn((await ask('GET', '/api/v1/namespaces/kube-system/configmaps')).body)).toEqual([]);
  });

  it('pages follow one another, all of the revision of the first', async () => {
    const sandbox = await withMaps('a', 'b', 'c');
    const ask = asking(sandbox);

    const first = await ask('GET', `${maps}?limit=2`);
    await sandbox.delete({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
    const rest = await ask('GET', `${maps}?limit=2&continue=${textAt(first.body, 'metadata', 'continue')}`);

    expect(first.body).toMatchObject({ metadata: { remainingItemCount: 1 } });
    expect([namesIn(first.body), namesIn(rest.body)]).toEqual([['a', 'b'], ['c']]);
    expect(textAt(rest.body, 'metadata', 'resourceVersion')).toBe(textAt(first.body, 'metadata', 'resourceVersion'));
    expect(textAt(rest.body, 'metadata', 'continue')).toBe('');
  });

  it('the number of what remains is not known under a selector', async () => {
    const { body } = await asking(await withMaps('a', 'b'))('GET', `${maps}?limit=1&labelSelector=name`);

    expect(textAt(body, 'metadata', 'continue')).not.toBe('');
    expect(body['metadata']).not.toHaveProperty('remainingItemCount');
  });

  it('after compaction a token is too old, and its refusal brings one that goes on inconsistently', async () => {
    const sandbox = await withMaps('a', 'b', 'c');
    const ask = asking(sandbox);
    const first = await ask('GET', `${maps}?limit=1`);
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'd' } });
    sandbox.compact();

    const refused = await ask('GET', `${maps}?limit=9&continue=${textAt(first.body, 'metadata', 'continue')}`);
    const rest = await ask('GET', `${maps}?limit=9&continue=${textAt(refused.body, 'metadata', 'continue')}`);

    expect(refused.body).toMatchObject({ code: 410, reason: 'Expired' });
    expect(refused.text).toContain('The provided continue parameter is too old to display a consistent list result.');
    expect(namesIn(rest.body)).toEqual(['b', 'c', 'd']);
  });

  it('a list from the watch cache has no pages', async () => {
    const { body } = await asking(await withMaps('a', 'b'))('GET', `${maps}?limit=1&resourceVersion=0`);

    expect(namesIn(body)).toEqual(['a', 'b']);
  });

  it('an exact revision is shown as it was, until it is compacted', async () => {
    const sandbox = await withMaps('a');
    const ask = asking(sandbox);
    const path = `${maps}?resourceVersionMatch=Exact&resourceVersion=${sandbox.resourceVersion}`;
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } });

    expect(namesIn((await ask('GET', path)).body)).toEqual(['a']);

    sandbox.compact();
    expect((await ask('GET', path)).body).toMatchObject({
      code: 410,
      message: 'The resourceVersion for the provided list is too old.',
    });
  });

  it.each([`${maps}?resourceVersion=99999`, `${maps}/a?resourceVersion=99999`])(
    '%s is not reached yet',
    async (path) => {
      expect((await asking(await withMaps('a'))('GET', path)).body).toMatchObject({ code: 504, reason: 'Timeout' });
    },
  );

  it('a continue token and a resourceVersion exclude each other', async () => {
    const { body } = await asking(await withMaps('a', 'b'))('GET', `${maps}?continue=x&resourceVersion=3`);

    expect(body).toMatchObject({
      code: 400,
      message: 'specifying resource version is not allowed when using continue',
    });
  });
});
