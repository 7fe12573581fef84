import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshName } from '@hooklet/sandbox/conformance';
import { Tolerance } from '../../src/effects/children/tolerance.ts';
import { readLiveChild } from '../../src/effects/children/live-child.ts';
import { marksOf } from '../../src/effects/children/marks.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import {
  after,
  changes,
  map,
  owned,
  startChildrenRig,
  uidOf,
  type ChildrenRig,
  type Json,
} from '../support/children-rig.ts';
import { connectAs } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
let client: KubeClient;

beforeAll(async () => {
  client = createKubeClient(await connectAs(plane, 'admin')(), { userAgent: 'hooklet-test' });
});

afterAll(async () => client.close());

async function startRig(): Promise<{ readonly rig: ChildrenRig; readonly namespace: string; readonly maps: string }> {
  const namespace = freshName('children');
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.request({ method: 'POST', path: '/api/v1/namespaces', body }, new AbortController().signal);
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  return { rig: await startChildrenRig(client, namespace), namespace, maps };
}

const POD = {
  metadata: { labels: { app: 'web' } },
  spec: {
    volumes: [{ name: 'v', emptyDir: {} }],
    tolerations: [{ key: 'k', operator: 'Exists' }],
    containers: [
      {
        name: 'c',
        image: 'nginx',
        args: ['-g', 'daemon off;'],
        env: [
          { name: 'A', value: 'a' },
          { name: 'EMPTY', value: '' },
        ],
        ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }],
        resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: 0.5 } },
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
        readinessProbe: { httpGet: { path: '/', port: 80 } },
      },
    ],
  },
};

const NORMALIZED: readonly (readonly [kind: string, object: Json])[] = [
  [
    'Deployment',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: null, annotations: {} },
      spec: { replicas: 1, strategy: {}, selector: { matchLabels: { app: 'web' } }, template: POD },
    },
  ],
  [
    'Service',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: {
        selector: { app: 'web' },
        ports: [
          { name: 'tcp', port: 53, targetPort: 'dns' },
          { name: 'udp', port: 53, protocol: 'UDP' },
        ],
      },
    },
  ],
  ['ConfigMap', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { cpu: '1000m' } }],
  [
    'Secret',
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'web' },
      stringData: { password: 'x' },
      data: { other: 'eA==' },
    },
  ],
  [
    'NetworkPolicy',
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'web' },
      spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
    },
  ],
  [
    'ResourceQuota',
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'web' },
      spec: { hard: { 'requests.cpu': '1000m', 'requests.memory': '2048Mi', pods: 100 } },
    },
  ],
  [
    'RoleBinding',
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'web' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'jane' }],
    },
  ],
];

describe('children on a real API server', () => {
  it.each(NORMALIZED)(
    'a %s costs no request when nothing differs, whatever the server makes of it',
    async (kind, object) => {
      const { rig } = await startRig();
      const owns = [owned(kind)];

      const outcome = await rig.reach([object], { owns });
      expect(outcome.problems).toEqual([]);
      expect(changes(outcome)).toEqual([`created ${kind}/web`]);

      // An operator that has just started remembers nothing.
      const repeated = await rig.reach([object], { owns, session: { tolerance: new Tolerance() } });
      expect(repeated.problems).toEqual([]);
      expect(rig.requests).toEqual([]);
    },
  );

  it('are made by a request that never changes what is there', async () => {
    const { rig, maps } = await startRig();
    await rig.send({ method: 'POST', path: maps, body: JSON.stringify(map('a', { k: 'theirs' })) });

    const outcome = await rig.reach([map('a', { k: 'mine' }), map('b')]);

    expect(changes(outcome)).toEqual(['created ConfigMap/b']);
    expect(outcome.problems).toMatchObject([{ type: 'taken', child: 'ConfigMap/a' }]);
    expect((await rig.read(`${maps}/a`))?.['data']).toEqual({ k: 'theirs' });
  });

  it('are changed and deleted by uid, so that a replaced object is not touched', async () => {
    const { rig, maps } = await startRig();
    await rig.reach([map('a'), map('b'), map('c')]);
    const read = async (name: string) =>
      readLiveChild((await rig.read(`${maps}/${name}`)) ?? {}, marksOf('sites', rig.parent));
    const live = [await read('a'), await read('b'), await read('c')];
    for (const name of ['a', 'b', 'c']) await rig.send({ method: 'DELETE', path: `${maps}/${name}` });
    for (const name of ['a', 'c']) {
      await rig.send({ method: 'POST', path: maps, body: JSON.stringify(map(name, { k: 'theirs' })) });
    }

    const outcome = await rig.reach([map('a', { k: 'mine' }), map('b', { k: 'mine' })], { live });
    const pruned = await rig.reach([], { live });

    expect(changes(outcome)).toEqual(['created ConfigMap/b']);
    expect(outcome.problems).toMatchObject([{ type: 'taken', child: 'ConfigMap/a' }]);
    expect(changes(pruned).toSorted()).toEqual(['absent ConfigMap/a', 'absent ConfigMap/b', 'absent ConfigMap/c']);
    for (const name of ['a', 'c']) expect((await rig.read(`${maps}/${name}`))?.['data']).toEqual({ k: 'theirs' });
  });

  it('lose the fields that are no longer wanted, and are put right when others change them', async () => {
    const { rig, maps } = await startRig();
    await rig.reach([map('a', { mine: '1', gone: '1' })]);

    await rig.reach([map('a', { mine: '1' })]);
    expect((await rig.read(`${maps}/a`))?.['data']).toEqual({ mine: '1' });
    const body = JSON.stringify({ data: { mine: '2', theirs: '2' } });
    await rig.send({ method: 'PATCH', path: `${maps}/a`, body, contentType: 'application/merge-patch+json' });
    await rig.reach([map('a', { mine: '1' })]);

    expect((await rig.read(`${maps}/a`))?.['data']).toEqual({ mine: '1', theirs: '2' });
    await rig.reach([map('a', { mine: '1' })]);
    expect(rig.requests).toEqual([]);
  });

  it('that are no longer wanted are deleted, and those of another parent are not', async () => {
    const { rig, maps } = await startRig();
    await rig.reach([map('a'), map('b')]);
    const other = { ...rig.parent, uid: '00000000-0000-4000-8000-000000000000', name: 'other' };

    await rig.reach([], { parent: other });
    expect(await rig.read(`${maps}/a`)).toBeDefined();
    expect(changes(await rig.reach([map('b')]))).toEqual(['deleted ConfigMap/a']);
    expect(changes(await rig.reach([]))).toEqual(['deleted ConfigMap/b']);
  });

  it('are all left alone when the server refuses one of an answer that deletes', async () => {
    const { rig, maps } = await startRig();
    const service = (port: number) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port }] },
    });
    const owns = [owned('ConfigMap'), owned('Service')];
    await rig.reach([map('old'), service(80)], { owns });

    const outcome = await rig.reach([map('new'), service(700_000)], { owns });

    expect(outcome).toMatchObject({ applied: [], problems: [{ type: 'refused', child: 'Service/s' }] });
    expect(await rig.read(`${maps}/old`)).toBeDefined();
    expect(await rig.read(`${maps}/new`)).toBeUndefined();
    expect(changes(await rig.reach([map('new'), service(81)], { owns }))).toEqual(
      expect.arrayContaining(['created ConfigMap/new', 'applied Service/s', 'deleted ConfigMap/old']),
    );
  });

  it('with Recreate are made anew for a field that cannot be changed', async () => {
    const { rig, namespace } = await startRig();
    const binding = (role: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'r' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings/r`;
    const owns = [owned('RoleBinding', 'Recreate')];
    await rig.reach([binding('view')], { owns });
    const before = uidOf((await rig.read(path)) ?? {});

    const outcome = await rig.reach([binding('edit')], { owns });

    expect(outcome.problems).toEqual([]);
    expect(changes(outcome)).toEqual(['deleted RoleBinding/r', 'created RoleBinding/r']);
    expect(await rig.read(path)).toMatchObject({ roleRef: { name: 'edit' } });
    expect(uidOf((await rig.read(path)) ?? {})).not.toBe(before);
  });

  it('in another namespace are made after it, and removed with their parent', async () => {
    const { rig } = await startRig();
    const team = freshName('team');
    const other = { otherNamespaces: true };
    const owns = [owned('Namespace', 'Apply', other), owned('ConfigMap', 'Apply', other)];
    const answer = [
      after(['Namespace/' + team], map('a', {}, { namespace: team })),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } },
    ];

    const outcome = await rig.reach(answer, { owns });
    expect(outcome.problems).toEqual([]);
    expect(changes(outcome)).toEqual([`created Namespace/${team}`, 'created ConfigMap/a']);
    await rig.reach(answer, { owns });
    expect(rig.requests).toEqual([]);

    const removal = await rig.remove(owns);
    expect(changes(removal)).toEqual(['deleted ConfigMap/a', `deleted Namespace/${team}`]);
    expect(removal.left).toEqual([`Namespace/${team}`]);
    await expect.poll(async () => (await rig.remove(owns)).left).toEqual([]);
  });
});
