import { describe, expect, it } from 'vitest';
import { until } from '../support/operator-rig.ts';
import { labelledConfigMap, labelledSecret, startShippedHooks, targetNamespace } from '../support/shipped-hooks.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const path = (namespace: string, plural: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/${plural}/${name}`;

describe('002-copy.ts', { timeout: 60_000 }, () => {
  it('makes copies in labelled namespaces, updates them, and deletes them with the original', async () => {
    await using hooks = await startShippedHooks({
      before: [
        targetNamespace('team-a'),
        targetNamespace('team-b', 'false'),
        labelledConfigMap('registry', { url: 'one' }),
        labelledSecret('login', { user: 'reader' }),
      ],
    });
    const map = async () => hooks.get(path('team-a', 'configmaps', 'registry'));
    const secret = async () => hooks.get(path('team-a', 'secrets', 'login'));
    await until(async () => {
      expect(await map()).toMatchObject({
        data: { url: 'one' },
        metadata: { labels: { 'hooklet.dev/copied-from': 'default' } },
      });
      expect(await secret()).toMatchObject({ type: 'Opaque', data: { user: encoded('reader') } });
    });

    await hooks.sandbox.apply(labelledConfigMap('registry', { url: 'two' }));
    await until(async () => expect(await map()).toMatchObject({ data: { url: 'two' } }));
    await until(async () => expect(await hooks.metric('hooklet_copies')).toBe(2));
    await hooks.sandbox.delete(labelledConfigMap('registry', {}));

    await until(async () => expect(await map()).toBeUndefined());
    expect(await secret()).toBeDefined();
    expect(await hooks.get(path('team-b', 'configmaps', 'registry'))).toBeUndefined();
  });

  it('makes a copy again that somebody deleted or changed', async () => {
    await using hooks = await startShippedHooks({
      before: [targetNamespace('team-a'), labelledConfigMap('registry', { url: 'one' })],
    });
    const copy = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'registry', namespace: 'team-a' } };
    const labels = { 'hooklet.dev/copied-from': 'default' };
    const map = async () => hooks.get(path('team-a', 'configmaps', 'registry'));
    await until(async () => expect(await map()).toBeDefined());
    const uid = async () => ((await map())?.['metadata'] as { uid?: string } | undefined)?.uid;
    const before = await uid();

    await hooks.sandbox.apply({ ...copy, metadata: { ...copy.metadata, labels }, data: { url: 'mine' } });
    await until(async () => expect(await map()).toMatchObject({ data: { url: 'one' } }));
    await hooks.sandbox.delete(copy);

    await until(async () => {
      expect(await uid()).toBeDefined();
      expect(await uid()).not.toBe(before);
    });
  });

  it('follows namespaces: one that is made or labelled gets copies, one that loses the label loses them', async () => {
    await using hooks = await startShippedHooks({ before: [labelledConfigMap('registry', { url: 'one' })] });
    const map = async () => hooks.get(path('late', 'configmaps', 'registry'));

    await hooks.sandbox.apply(targetNamespace('late'));
    await until(async () => expect(await map()).toBeDefined());
    await hooks.sandbox.apply(targetNamespace('late', 'false'));

    await until(async () => expect(await map()).toBeUndefined());
  });

  it('leaves an object of that name that is no copy, and counts what is missing', async () => {
    const metadata = { name: 'registry', namespace: 'team-a' };
    const foreign = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { url: 'theirs' } };
    await using hooks = await startShippedHooks({
      before: [
        targetNamespace('team-a'),
        targetNamespace('team-b'),
        foreign,
        labelledConfigMap('registry', { url: 'one' }),
      ],
    });
    await until(async () => expect(await hooks.get(path('team-b', 'configmaps', 'registry'))).toBeDefined());

    await until(async () => {
      expect(await hooks.metric('hooklet_copies')).toBe(1);
      expect(await hooks.metric('hooklet_copies_missing')).toBe(1);
    });
    expect(await hooks.get(path('team-a', 'configmaps', 'registry'))).toMatchObject({ data: { url: 'theirs' } });
  });

  it('follows a Secret whose type changed, which the API server does not allow to change in place', async () => {
    await using hooks = await startShippedHooks({
      before: [targetNamespace('team-a'), labelledSecret('login', { username: 'a', password: 'b' })],
    });
    const type = async () => (await hooks.get(path('team-a', 'secrets', 'login')))?.['type'];
    await until(async () => expect(await type()).toBe('Opaque'));

    await hooks.sandbox.delete(labelledSecret('login', {}));
    await hooks.sandbox.apply(labelledSecret('login', { username: 'a', password: 'b' }, 'kubernetes.io/basic-auth'));

    await until(async () => expect(await type()).toBe('kubernetes.io/basic-auth'));
  });
});
