import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { sandboxForTest, widgetDefinition } from '@hooklet/sandbox/testing';
import { MARK_LABEL, PARENT_LABEL, reconcileMark } from '../../src/hook/reconcile-mark.ts';
import { asJsonObject, text } from '../../src/kube/object.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { webSiteDefinition } from '../support/web-site.ts';

const CONFIG = {
  configVersion: 'v1',
  kubernetes: [
    {
      name: 'names',
      kind: 'Namespace',
      executeHookOnSynchronization: false,
      jqFilter: '.metadata.name',
      executeHookOnEvent: [],
    },
  ],
  reconcile: [
    {
      name: 'sites',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      labelSelector: { matchLabels: { site: 'yes' } },
      owns: [{ apiVersion: 'v1', kind: 'Secret' }],
      watches: [
        {
          name: 'content',
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          for: '.metadata.annotations.for',
          jqFilter: '.metadata.name',
        },
      ],
      includeSnapshotsFrom: ['names'],
    },
  ],
};
const MARK = reconcileMark({ name: 'sites', kind: 'ConfigMap', apiVersion: 'v1' });

function siteOf(name: string, data: Readonly<Record<string, string>> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { site: 'yes' } },
    data,
  };
}

describe('a hook with a reconcile binding', () => {
  it('gets each object with its children and what it watches, and again when one of them changes', async () => {
    const sandbox = await sandboxForTest();
    const parent = await sandbox.apply(siteOf('a'));
    const uid = text(asJsonObject(parent['metadata'])['uid']);
    await sandbox.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'text', namespace: 'default', annotations: { for: 'a' } },
    });
    await using operator = startOperator({
      hooks: { 'site.sh': recordingHook(CONFIG) },
      connect: sandboxCluster(sandbox),
    });
    await until(() => expect(operator.contexts('site.sh')).toHaveLength(1));

    const [first] = operator.contexts('site.sh');
    expect(first).toMatchObject({
      attempt: 1,
      binding: 'sites',
      finalizing: false,
      object: { metadata: { name: 'a' } },
      owned: { Secret: [] },
      reason: 'start',
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'Reconcile',
      watched: { content: [{ filterResult: 'text', object: { kind: 'ServiceAccount' } }] },
    });
    expect(Object.keys(first ?? {})).toEqual(Object.keys(first ?? {}).toSorted());
    expect(first?.['snapshots']).toMatchObject({
      names: expect.arrayContaining([{ filterResult: 'default', object: expect.anything() }]),
    });

    await sandbox.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'child', namespace: 'default', labels: { [MARK_LABEL]: MARK, [PARENT_LABEL]: uid } },
    });
    await until(() => expect(operator.contexts('site.sh')).toHaveLength(2));
    expect(operator.contexts('site.sh')[1]).toMatchObject({
      reason: 'child',
      owned: { Secret: [{ object: { metadata: { name: 'child' } } }] },
    });
  });

  it('is not ready and runs nothing while a kind that it owns is missing', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a'));
    const owns = [{ apiVersion: 'example.com/v1', kind: 'Widget' }];
    const [binding] = CONFIG.reconcile;
    const config = { ...CONFIG, reconcile: [{ ...binding, owns }] };
    await using operator = startOperator({
      hooks: { 'site.sh': recordingHook(config) },
      connect: sandboxCluster(sandbox),
    });
    await until(async () => {
      const page = await (await fetch(`${operator.url()}/readyz?verbose`)).text();
      expect(page).toContain('watch site.sh/sites/Widget.example.com');
    });
    await until(() =>
      expect(operator.lines).toContainEqual(
        expect.objectContaining({ fields: expect.objectContaining({ binding: 'sites/Widget.example.com' }) }),
      ),
    );
    expect(operator.contexts('site.sh')).toEqual([]);

    await sandbox.apply(widgetDefinition());

    await until(() => expect(operator.contexts('site.sh')).toHaveLength(1));
    expect(operator.contexts('site.sh')[0]).toMatchObject({ owned: { 'Widget.example.com': [] } });
  });

  it('does without an optional kind that it owns, says where a child of it is wanted, and makes that when the kind comes', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(webSiteDefinition('example.com'));
    const site = { apiVersion: 'example.com/v1', kind: 'WebSite', metadata: { name: 'a', namespace: 'default' } };
    await sandbox.apply(site);
    const child = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
      spec: { color: 'red' },
    };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'default' } };
    const owns = [
      { apiVersion: 'example.com/v1', kind: 'Widget', optional: true },
      { apiVersion: 'v1', kind: 'ConfigMap' },
    ];
    const config = {
      configVersion: 'v1',
      reconcile: [{ name: 'sites', apiVersion: 'example.com/v1', kind: 'WebSite', owns }],
    };
    const answer = JSON.stringify({ children: [child, map] });
    await using operator = startOperator({
      hooks: { 'site.sh': recordingHook(config, `echo '${answer}' > "$RESULT_PATH"`) },
      connect: sandboxCluster(sandbox),
    });
    const read = async (object: JsonObject): Promise<JsonObject | undefined> => {
      const { code, body } = await sandbox.call('GET', sandbox.pathOf(object));
      return code === 200 && isJsonObject(body) ? body : undefined;
    };
    const ready = async (): Promise<unknown> => (await read(site))?.['status'];

    await until(async () =>
      expect(await ready()).toMatchObject({
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ChildKindUnknown',
            message: expect.stringContaining(
              'the API server has no kind Widget of example.com/v1: is its CustomResourceDefinition installed?',
            ),
          },
        ],
      }),
    );
    expect(await read(map)).toBeDefined();
    expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200);

    await sandbox.apply(widgetDefinition());

    await until(async () => expect(await ready()).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] }));
    expect(await read(child)).toBeDefined();
    expect(operator.contexts('site.sh')[0]).toMatchObject({ owned: { 'Widget.example.com': [] } });
  });

  it('does not work where another hook has a binding of the same name and kind, says so, and works when that is gone', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(siteOf('a'));
    await using operator = startOperator({
      hooks: {
        'one.sh': recordingHook(CONFIG),
        'two.sh': recordingHook(CONFIG),
        'zoo.sh': recordingHook({ configVersion: 'v1', kubernetes: [{ name: 'maps', kind: 'ConfigMap' }] }),
      },
      connect: sandboxCluster(sandbox),
    });
    await until(() => expect(operator.contexts('one.sh')).toHaveLength(1));
    await until(() => expect(operator.contexts('zoo.sh')).toHaveLength(1));

    const page = await (await fetch(`${operator.url()}/readyz?verbose`)).text();

    expect(page).toContain('hook one.sh has a reconcile binding sites for ConfigMap, give this one another name');
    expect(operator.contexts('two.sh')).toEqual([]);

    operator.change('one.sh');
    await until(() => expect(operator.contexts('two.sh')).toHaveLength(1));
  });

  it('releases an object that the binding does not select any more, so that it can be deleted', async () => {
    const sandbox = await sandboxForTest();
    const path = '/api/v1/namespaces/default/configmaps/a';
    const finalizers = async (): Promise<unknown> =>
      asJsonObject(asJsonObject((await sandbox.call('GET', path)).body)['metadata'])['finalizers'];
    await sandbox.apply(siteOf('a'));
    const reconcile = [{ ...CONFIG.reconcile[0], finalize: true, includeSnapshotsFrom: undefined }];
    await using operator = startOperator({
      hooks: { 'site.sh': recordingHook({ configVersion: 'v1', reconcile }) },
      connect: sandboxCluster(sandbox),
    });
    await until(() => expect(operator.contexts('site.sh')).not.toEqual([]));
    expect(await finalizers()).toEqual([`hooklet.dev/${MARK}`]);

    await sandbox.apply({ ...siteOf('a'), metadata: { name: 'a', namespace: 'default', labels: { site: 'no' } } });

    await until(async () => expect(await finalizers()).toBeUndefined());
    const said = 'object is not selected any more: its finalizer is removed, its children stay as they are';
    await until(() => expect(operator.lines.map(({ message }) => message)).toContain(said));
  });
});
