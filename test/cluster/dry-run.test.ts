import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { main } from '../../src/cli/program/program.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, startOperator, type OperatorRig } from '../support/operator-rig.ts';
import { bindMaps, connectAs, handsOn, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const never = new AbortController().signal;

// Nobody writes its status here.
const ingressIn = (namespace: string): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'web', namespace },
  spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
});

/** Every operation, once on what is there and once on what is not. */
const operationsIn = (namespace: string): string => {
  const map = (name: string, data: object): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  });
  const on = (operation: string, name: string, more: object = {}): object => ({
    operation,
    kind: 'ConfigMap',
    namespace,
    name,
    ...more,
  });
  return [
    { operation: 'Create', object: map('created', { a: 'b' }) },
    { operation: 'CreateIfNotExists', object: map('other', { a: 'ignored' }) },
    { operation: 'CreateOrUpdate', object: map('other', { a: 'written' }) },
    { operation: 'Apply', object: map('applied', { a: 'b' }) },
    { operation: 'Apply', object: map('aside', { b: 'applied' }) },
    on('MergePatch', 'aside', { mergePatch: { data: { c: 'd' } } }),
    on('JSONPatch', 'aside', { jsonPatch: [{ op: 'add', path: '/data/e', value: 'f' }] }),
    on('JQPatch', 'aside', { jqFilter: '.data.g = "h"' }),
    {
      operation: 'MergePatch',
      kind: 'Ingress',
      namespace,
      name: 'web',
      subresource: 'status',
      mergePatch: { status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } },
    },
    on('Delete', 'foreground'),
    on('DeleteInBackground', 'background'),
    on('DeleteNonCascading', 'alone'),
  ]
    .map((one) => JSON.stringify(one))
    .join('\n');
};

const SOURCE = { matchExpressions: [{ field: 'metadata.name', operator: 'Equals', value: 'source' }] };

const writing = (namespace: string, operations: string, fields: object = {}): string =>
  recordingHook(
    { configVersion: 'v1', kubernetes: [bindMaps(namespace, { fieldSelector: SOURCE, ...fields })] },
    `cat > "$KUBERNETES_PATCH_PATH" <<'END'\n${operations}\nEND`,
  );

async function filled(hands: Hands): Promise<void> {
  for (const name of ['source', 'other', 'aside', 'foreground', 'background', 'alone']) {
    await hands.configMap(name, { a: 'here' });
  }
  const ingresses = `/apis/networking.k8s.io/v1/namespaces/${hands.namespace}/ingresses`;
  await hands.call('POST', ingresses, ingressIn(hands.namespace));
}

/** What there is, with its versions. */
async function stateOf({ call, namespace }: Hands): Promise<readonly string[]> {
  const inside = `namespaces/${namespace}`;
  const paths = [
    `/apis/networking.k8s.io/v1/${inside}/ingresses`,
    ...['configmaps', 'secrets', 'events'].map((one) => `/api/v1/${inside}/${one}`),
  ];
  const lists = await Promise.all(paths.map(async (path) => call('GET', path)));
  return lists
    .flatMap((list): readonly { readonly metadata: Readonly<Record<string, string>> }[] => Object(list).items)
    .map(({ metadata: { name = '', resourceVersion = '' } }) => `${name} ${resourceVersion}`);
}

const linesOf = ({ lines }: OperatorRig, message: string) => lines.filter((line) => line.message === message);

const toldBy = ({ lines }: OperatorRig): string =>
  lines
    .map(({ message, fields }) => {
      const { err } = fields;
      return `${message} ${err instanceof Error ? err.message : JSON.stringify(fields)}`;
    })
    .join('\n');

describe('a dry run on a real API server', () => {
  it('has every operation tried, DELETE and a status included, and nothing is changed', async () => {
    const hands = await handsOn(plane);
    const { namespace } = hands;
    await filled(hands);
    const before = await stateOf(hands);
    await using operator = startOperator({
      connect: connectAs(plane, 'admin'),
      hooks: { 'a.sh': writing(namespace, operationsIn(namespace)) },
      env: { POD_NAME: 'me', POD_NAMESPACE: namespace },
      operator: { dryRun: {} },
    });

    await until(() => expect(linesOf(operator, 'hook finished'), toldBy(operator)).toHaveLength(1), 45_000);
    const told = linesOf(operator, 'dry run: would change').map(({ fields }) => {
      const { change, object, fields: changed } = fields;
      return [change, String(object).replace(`/${namespace}`, ''), changed];
    });
    expect(told).toEqual([
      ['create', 'v1/ConfigMap/created', ['data.a: "b" (new)']],
      ['change', 'v1/ConfigMap/other', ['data.a: "here" → "written"']],
      ['create', 'v1/ConfigMap/applied', ['data.a: "b" (new)']],
      ['change', 'v1/ConfigMap/aside', ['data.b: "applied" (new)']],
      ['change', 'v1/ConfigMap/aside', ['data.c: "d" (new)']],
      ['change', 'v1/ConfigMap/aside', ['data.e: "f" (new)']],
      ['change', 'v1/ConfigMap/aside', ['data.g: "h" (new)']],
      ['change', 'networking.k8s.io/v1/Ingress/web/status', ['status.loadBalancer.ingress: [{"ip":"10.0.0.1"}] (new)']],
      ['delete', 'v1/ConfigMap/foreground', []],
      ['delete', 'v1/ConfigMap/background', []],
      ['delete', 'v1/ConfigMap/alone', []],
    ]);
    await operator.stop();
    expect(await stateOf(hands)).toEqual(before);
  });

  it('tells as a shadow what an old version did otherwise, wrote alone and did not delete, and changes nothing', async () => {
    const hands = await handsOn(plane);
    const { namespace, maps } = hands;
    await filled(hands);
    const operations = [
      {
        operation: 'MergePatch',
        kind: 'ConfigMap',
        namespace,
        name: 'other',
        mergePatch: { data: { a: 'new', b: 'x' } },
      },
      { operation: 'DeleteInBackground', kind: 'ConfigMap', namespace, name: 'background' },
      { operation: 'DeleteInBackground', kind: 'ConfigMap', namespace, name: 'alone' },
    ].map((one) => JSON.stringify(one));
    await using operator = startOperator({
      connect: connectAs(plane, 'admin'),
      hooks: {
        'a.sh': writing(namespace, operations.join('\n'), { executeHookOnEvent: [] }),
        'follows.sh': recordingHook({ configVersion: 'v1', kubernetes: [bindMaps(namespace)] }),
      },
      operator: { dryRun: { shadowAfterMs: 6000 } },
    });
    await until(
      () => expect(linesOf(operator, 'hook finished').length, toldBy(operator)).toBeGreaterThanOrEqual(2),
      45_000,
    );
    const old = createKubeClient(await connectAs(plane, 'admin')(), { userAgent: 'hooklet/0.0.1' });
    onTestFinished(async () => old.close());
    const write = async (name: string, data: object): Promise<unknown> =>
      old.request(
        {
          method: 'PATCH',
          path: maps(name),
          contentType: 'application/merge-patch+json',
          body: JSON.stringify({ data }),
        },
        never,
      );
    await write('other', { a: 'new', b: 'y', c: 'z' });
    await write('aside', { a: 'by the old one' });
    await old.request({ method: 'DELETE', path: maps('background') }, never);
    const after = await stateOf(hands);

    // The test wrote as hooklet-test just before.
    const onlyOther = (): readonly object[] =>
      linesOf(operator, 'shadow: only the other version wrote to it')
        .map(({ fields }) => fields)
        .filter(({ manager }) => manager === 'hooklet');
    const differences = (): object =>
      Object.fromEntries(
        linesOf(operator, 'shadow: the other version did otherwise').map(
          ({ fields: { object, differences: found } }) => [String(object), found],
        ),
      );
    await until(() => {
      expect(differences()).toEqual({
        [maps('other')]: ['data.b: "y" → "x"', 'data.c: "z" (new), by the other version alone'],
        [maps('alone')]: ['it would have been deleted, and is there'],
      });
      expect(onlyOther()).toEqual([{ object: maps('aside'), manager: 'hooklet', fields: ['data.a'] }]);
    });
    await operator.stop();
    expect(await stateOf(hands)).toEqual(after);
  });
});

describe('hooklet rbac --check on a real API server', () => {
  it('finds the rights that are missing, asked for an account and by the account itself', async () => {
    const hands = await handsOn(plane);
    const { namespace, call } = hands;
    using folder = temporaryFolder();
    const hook = recordingHook({ configVersion: 'v1', kubernetes: [bindMaps(namespace), { kind: 'Node' }] });
    writeFileSync(join(folder.path, 'a.sh'), hook, { mode: 0o755 });
    const kubeconfig = plane.kubeconfig('admin');
    const kubeConfig = join(folder.path, 'kubeconfig.json');
    writeFileSync(kubeConfig, kubeconfig);
    await call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'guard' } });
    const granted = async (kind: string, object: object): Promise<unknown> =>
      call('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/${kind}`, object);
    await granted('roles', {
      metadata: { name: 'guard' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    });
    await granted('rolebindings', {
      metadata: { name: 'guard' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'guard' },
      subjects: [{ kind: 'ServiceAccount', name: 'guard', namespace }],
    });
    const check = async (config: string) => {
      const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      const account = ['--service-account', `${namespace}/guard`];
      const code = await main([
        'rbac',
        join(folder.path, 'a.sh'),
        '--check',
        '-o',
        'json',
        '--kube-config',
        config,
        ...account,
      ]);
      const text = out.mock.calls.map(([one]) => String(one)).join('');
      out.mockRestore();
      return { code, missing: JSON.parse(text).missing };
    };

    const asked = await check(kubeConfig);
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/guard/token`;
    const { status } = Object(await call('POST', path, { spec: {} }));
    const own = JSON.parse(kubeconfig);
    for (const { user } of own.users) {
      for (const key of Object.keys(user)) delete user[key];
      user.token = status.token;
    }
    const ownConfig = join(folder.path, 'own.json');
    writeFileSync(ownConfig, JSON.stringify(own));

    expect(asked).toMatchObject({
      code: 1,
      missing: [
        { resources: ['nodes'], verbs: ['list', 'watch'], isOptional: false },
        { resources: ['configmaps'], verbs: ['watch'], namespace, isOptional: false },
        { resources: ['events'], isOptional: true },
      ],
    });
    expect(await check(ownConfig)).toEqual(asked);
  });
});
