import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox, type JsonObject, type Sandbox } from '@hooklet/sandbox';
import { textAt } from '@hooklet/sandbox/testing';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { recordingHook, sandboxCluster, startOperator, until, type OperatorRig } from '../support/operator-rig.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, data: object = {}, labels: object = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { ...labels } },
    data: { ...data },
  };
}

function patching(patch: string, kind = 'ConfigMap'): string {
  return recordingHook(
    { configVersion: 'v1', kubernetes: [{ name: 'all', kind, labelSelector: { matchLabels: { watched: 'yes' } } }] },
    `cat > "$KUBERNETES_PATCH_PATH" <<'EOF'\n${patch}\nEOF`,
  );
}

const EVERY_OPERATION = `operation: Create
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: created, namespace: default}, data: {a: b}}
---
operation: CreateIfNotExists
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: source, namespace: default}}
---
operation: CreateOrUpdate
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default}, data: {a: written}}
---
operation: Apply
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: applied, namespace: default}, data: {a: b}}
---
operation: MergePatch
kind: Secret
namespace: default
name: secret
mergePatch: {stringData: {password: new-password}}
---
operation: JSONPatch
kind: ConfigMap
namespace: default
name: other
jsonPatch: [{op: add, path: /data/b, value: c}]
---
operation: JQPatch
kind: ConfigMap
namespace: default
name: other
jqFilter: .data.c = "d"
---
operation: Delete
kind: ConfigMap
namespace: default
name: doomed
---
operation: DeleteInBackground
kind: ConfigMap
namespace: default
name: doomed
---
operation: DeleteNonCascading
kind: ConfigMap
namespace: default
name: doomed
---
operation: MergePatch
kind: ConfigMap
namespace: default
name: created
mergePatch: {data: {late: value}}
---
operation: JQPatch
kind: ConfigMap
namespace: default
name: applied
jqFilter: .data.late = "value"
---
operation: Create
object: {apiVersion: v1, kind: Namespace, metadata: {name: made}}
---
operation: Create
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: made}}`;

const BEFORE: readonly JsonObject[] = [
  configMap('source', {}, { watched: 'yes' }),
  configMap('other', { a: 'here' }),
  configMap('doomed'),
  configMap('site', { children: 'yes' }, { site: 'yes' }),
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret', namespace: 'default' }, data: { password: 'b2xk' } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pod', namespace: 'default', labels: { watched: 'yes' } },
    spec: { containers: [{ name: 'a', image: 'b' }] },
  },
];

// Whatever hooklet can write for hooks and for itself.
const HOOKS = {
  'a.sh': patching(EVERY_OPERATION),
  'b.ts': `import { reconcile } from 'hooklet';
export default reconcile(
  {
    name: 'sites', apiVersion: 'v1', kind: 'ConfigMap', labelSelector: { matchLabels: { site: 'yes' } }, finalize: true,
    owns: [{ apiVersion: 'v1', kind: 'Secret' }],
  },
  () => ({ children: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'child' }, stringData: { key: 'child-value' } }] }),
);
`,
  'c.sh': recordingHook({
    configVersion: 'v1',
    kubernetes: [
      { kind: 'Pod', labelSelector: { matchLabels: { watched: 'yes' } }, executeHookOnSynchronization: false },
    ],
  }),
  'd.sh': recordingHook({
    configVersion: 'v1',
    schedule: [{ crontab: '* * * * * *', missed: 'latest', suspendAfter: 5 }],
  }),
  'e.sh': recordingHook(
    {
      configVersion: 'v1',
      onStartup: 1,
      settings: { retry: { max: 1, onExhausted: 'dead' } },
      schedule: [{ crontab: '* * * * * *', queue: 'dead' }],
    },
    'printf %s "$HOOKLET_DRY_RUN" > "$OUT/env"; if grep -q schedule "$BINDING_CONTEXT_PATH"; then echo "{\\"events\\":[{\\"type\\":\\"Normal\\",\\"reason\\":\\"Told\\",\\"message\\":\\"x\\",\\"object\\":{\\"apiVersion\\":\\"v1\\",\\"kind\\":\\"Pod\\",\\"namespace\\":\\"default\\",\\"name\\":\\"pod\\"}}]}" > "$RESULT_PATH"; exit 1; fi',
  ),
};

function written(sandbox: Sandbox): readonly string[] {
  return sandbox.requests
    .filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
    .map(({ method, path, query }) => `${method} ${path}?${query}`);
}

function changes({ lines }: OperatorRig): readonly JsonObject[] {
  return lines.filter(({ message }) => message === 'dry run: would change').map(({ fields }) => fields as JsonObject);
}

async function sandboxWith(objects: readonly JsonObject[]): Promise<Sandbox> {
  const sandbox = await startSandbox();
  for (const object of objects) await sandbox.apply(object);
  return sandbox;
}

async function versionsIn(sandbox: Sandbox): Promise<string> {
  const answers = await Promise.all(
    ['configmaps', 'secrets', 'pods', 'events', 'namespaces'].map(async (plural) =>
      sandbox.call('GET', `/api/v1/${plural}`),
    ),
  );
  const items = answers.map(({ body }) => (body as { items: readonly JsonObject[] }).items);
  return JSON.stringify(
    items.flat().map((one) => [textAt(one, 'metadata', 'name'), textAt(one, 'metadata', 'resourceVersion')]),
  );
}

describe('an operator with a dry run', () => {
  const times = { leaseName: 'hooklet', leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };

  it.each([
    ['a leader', { leaderElection: times }],
    ['replicas that divide objects', { shards: times }],
  ])(
    'sends no request that could change anything, whatever its hooks and settings ask, with %s',
    async (_, replicas) => {
      await using sandbox = await sandboxWith(BEFORE);
      const before = await versionsIn(sandbox);
      await using operator = startOperator({
        hooks: HOOKS,
        connect: sandboxCluster(sandbox),
        env: { POD_NAME: 'me', POD_NAMESPACE: 'default' },
        operator: {
          dryRun: {},
          ...replicas,
          scheduleState: { type: 'configMap', name: 'schedules', isForced: true },
          deadLetters: { type: 'configMap', name: 'letters', isForced: true },
        },
      });
      await until(() => {
        const objects = changes(operator).map(({ object }) => object);
        expect(objects).toEqual(expect.arrayContaining(['v1/Secret/default/child', 'v1/ConfigMap/default/applied']));
        expect(operator.lines.map(({ message }) => message)).toContain(
          'hook failed and is not run again: its retry rule allows no further attempt',
        );
      }, 20_000);
      await operator.stop();

      const sent = written(sandbox);
      expect(sent.length).toBeGreaterThan(10);
      expect(sent.filter((request) => !/[?&]dryRun=All(?:&|$)/.test(request))).toEqual([]);
      expect(sent.filter((request) => /leases|events|schedules|letters|webhookconfigurations/.test(request))).toEqual(
        [],
      );
      expect(await versionsIn(sandbox)).toBe(before);
    },
  );
});

describe('a dry run', () => {
  it('tells what each operation would change, with the values of Secrets masked', async () => {
    await using sandbox = await sandboxWith(BEFORE);
    await using operator = startOperator({
      hooks: {
        'a.sh': HOOKS['a.sh'],
        'e.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, 'printf %s "$HOOKLET_DRY_RUN" > "$OUT/env"'),
      },
      connect: sandboxCluster(sandbox),
      operator: { dryRun: {} },
    });
    await until(
      () => expect(operator.lines.filter(({ message }) => message === 'hook finished')).toHaveLength(2),
      20_000,
    );

    const told = changes(operator).map(({ change, object, fields, note = '' }) => [change, object, fields, note]);
    expect(told).toEqual([
      ['create', 'v1/ConfigMap/default/created', ['data.a: "b" (new)'], ''],
      ['change', 'v1/ConfigMap/default/other', ['data.a: "here" → "written"'], ''],
      ['create', 'v1/ConfigMap/default/applied', ['data.a: "b" (new)'], ''],
      ['change', 'v1/Secret/default/secret', ['data.password: *** → *** (another value)'], ''],
      ['change', 'v1/ConfigMap/default/other', ['data.b: "c" (new)'], ''],
      ['change', 'v1/ConfigMap/default/other', ['data.c: "d" (new)'], ''],
      ['delete', 'v1/ConfigMap/default/doomed', [], ''],
      ['unknown', 'v1/configmaps/default/created', [], 'depends on an object that a dry run did not create'],
      ['unknown', 'v1/configmaps/default/applied', [], 'depends on an object that a dry run did not create'],
      [
        'create',
        'v1/Namespace/made',
        ['metadata.labels."kubernetes.io/metadata.name": "made" (new)', 'spec.finalizers: ["kubernetes"] (new)'],
        '',
      ],
      ['unknown', 'v1/configmaps/made/inside', [], 'depends on an object that a dry run did not create'],
    ]);
    expect(JSON.stringify(operator.lines)).not.toMatch(/new-password|bmV3LXBhc3N3b3Jk|b2xk/);
    expect(readFileSync(join(operator.out, 'env'), 'utf8')).toBe('1');
    expect(operator.lines.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('such as with kubectl, is NOT stopped'),
    );
  });
});

describe('a shadow', () => {
  it('finds nothing where the other version does the same, and tells what it does otherwise', async () => {
    await using sandbox = await sandboxWith([
      configMap('source', {}, { watched: 'yes' }),
      configMap('other', { a: 'old' }),
      configMap('gone'),
    ]);
    const patch = `operation: MergePatch
kind: ConfigMap
namespace: default
name: other
mergePatch: {data: {a: new}}
---
operation: CreateOrUpdate
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: copy, namespace: default}, data: {a: secret-of-nobody}}
---
operation: DeleteInBackground
kind: ConfigMap
namespace: default
name: gone`;
    await using operator = startOperator({
      hooks: {
        'same.sh': patching(patch),
        'wrong.sh': patching(patch.replace('{a: new}', '{a: newer}').replace('name: gone', 'name: source')),
      },
      connect: sandboxCluster(sandbox),
      operator: { dryRun: { shadowAfterMs: 1200 } },
    });
    await until(
      () => expect(operator.lines.filter(({ message }) => message === 'hook finished')).toHaveLength(2),
      20_000,
    );
    // The other version acts.
    await sandbox.apply(configMap('other', { a: 'new', by: 'others' }));
    await sandbox.apply(configMap('copy', { a: 'secret-of-nobody' }));
    await sandbox.delete(configMap('gone'));
    await until(async () => {
      const text = await (await fetch(`${operator.url()}/metrics`)).text();
      expect(text).toContain('shell_operator_shadow_differences_total{hook="wrong.sh"} 2');
    }, 20_000);
    await operator.stop();

    const different = operator.lines.filter(({ message }) => message === 'shadow: the other version did otherwise');
    expect(different.map(({ fields }) => [fields['hook'], fields['object'], fields['differences']])).toEqual([
      ['wrong.sh', `${CONFIG_MAPS}/other`, ['data.a: "new" → "newer"']],
      ['wrong.sh', `${CONFIG_MAPS}/source`, ['it would have been deleted, and is there']],
    ]);
    const [summary] = operator.lines.filter(({ message }) => message === 'shadow: what was compared');
    expect(summary?.fields['onlyOther']).toBe(0);
    expect(summary?.fields['hooks']).toEqual({
      'same.sh': { same: 3, different: 0, skipped: 0 },
      'wrong.sh': { same: 1, different: 2, skipped: 0 },
    });
    expect(written(sandbox).filter((request) => !request.includes('dryRun=All'))).toEqual([]);
  });

  it('tells what only the other version wrote to objects that hooks follow, by what the API server keeps of it', async () => {
    const watched = { watched: 'yes' };
    const password = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret', namespace: 'default' } };
    await using sandbox = await sandboxWith([
      configMap('source', {}, watched),
      configMap('aside', { a: 'b' }, watched),
      configMap('of-others', { a: 'b' }, watched),
      { ...password, data: { password: 'b2xk' } },
    ]);
    const patch = `operation: MergePatch
kind: ConfigMap
namespace: default
name: source
mergePatch: {data: {a: new}}
---
operation: MergePatch
kind: Secret
namespace: default
name: secret
mergePatch: {data: {a: bmV3}}`;
    await using operator = startOperator({
      hooks: { 'a.sh': patching(patch) },
      connect: sandboxCluster(sandbox),
      operator: { dryRun: { shadowAfterMs: 4000 } },
    });
    await until(() => expect(operator.lines.map(({ message }) => message)).toContain('hook finished'), 20_000);
    const writeAs = async (userAgent: string, path: string, data: object): Promise<void> => {
      const client = createKubeClient(await sandboxCluster(sandbox)(), { userAgent });
      const contentType = 'application/merge-patch+json';
      const body = JSON.stringify({ data });
      await client.request({ method: 'PATCH', path, contentType, body }, new AbortController().signal);
      await client.close();
    };

    await writeAs('hooklet/0.0.1', `${CONFIG_MAPS}/source`, { a: 'new', c: 'more' });
    await writeAs('hooklet/0.0.1', `${CONFIG_MAPS}/aside`, { a: 'changed' });
    await writeAs('hooklet/0.0.1', '/api/v1/namespaces/default/secrets/secret', {
      a: 'bmV3',
      password: 'bmV3LXBhc3N3b3Jk',
    });
    await writeAs('kubectl/v1', `${CONFIG_MAPS}/of-others`, { a: 'changed' });

    const said = (message: string) => operator.lines.filter((line) => line.message === message);
    await until(() => {
      expect(said('shadow: only the other version wrote to it').map(({ fields }) => fields)).toEqual([
        { object: `${CONFIG_MAPS}/aside`, manager: 'hooklet', fields: ['data.a'] },
      ]);
      expect(
        Object.fromEntries(
          said('shadow: the other version did otherwise').map(({ fields }) => [
            fields['object'],
            fields['differences'],
          ]),
        ),
      ).toEqual({
        [`${CONFIG_MAPS}/source`]: ['data.c: "more" (new), by the other version alone'],
        '/api/v1/namespaces/default/secrets/secret': [
          'data.password: *** → *** (another value), by the other version alone',
        ],
      });
    }, 20_000);
    await operator.stop();
    expect(said('shadow: what was compared')[0]?.fields['onlyOther']).toBe(1);
  });
});
