import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { KubeError } from '../../../src/errors.ts';
import type { KubeRequest } from '../../../src/kube/client.ts';
import { readLiveChild, type LiveChild } from '../../../src/effects/children/live-child.ts';
import { marksOf } from '../../../src/effects/children/marks.ts';
import { Tolerance } from '../../../src/effects/children/tolerance.ts';
import {
  after,
  changes,
  map,
  owned,
  sandboxClient,
  startChildrenRig,
  uidOf,
  type ChildrenRig,
  type Json,
} from '../../support/children-rig.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let sandbox: Sandbox;
let rig: ChildrenRig;

beforeEach(async () => {
  sandbox = await sandboxForTest();
  rig = await startChildrenRig(sandboxClient(sandbox), 'default');
});

describe('the children', () => {
  it('are made in one request each, with their marks', async () => {
    const outcome = await rig.reach([map('a', { k: 'v' })]);

    expect(changes(outcome)).toEqual(['created ConfigMap/a']);
    expect(rig.requests).toEqual([`PATCH ${MAPS}/a`]);
    expect(outcome.problems).toEqual([]);
    expect(await rig.read(`${MAPS}/a`)).toMatchObject({
      metadata: {
        labels: {
          'hooklet.dev/reconcile': expect.stringMatching(/^sites-[0-9a-f]{8}$/),
          'hooklet.dev/parent-uid': rig.parent.uid,
        },
        ownerReferences: [{ kind: 'ConfigMap', name: 'parent', controller: true, blockOwnerDeletion: true }],
      },
      data: { k: 'v' },
    });
  });

  it('cost no request when nothing differs, also for an operator that has just started', async () => {
    await rig.reach([map('a', { k: 'v' }), map('b')]);

    expect(changes(await rig.reach([map('a', { k: 'v' }), map('b')]))).toEqual([]);
    expect(rig.requests).toEqual([]);
    await rig.reach([map('b'), map('a', { k: 'v' })], { session: { tolerance: new Tolerance() } });
    expect(rig.requests).toEqual([]);
  });

  it('lose the fields that are no longer wanted, and keep those of others', async () => {
    await rig.reach([map('a', { mine: '1', gone: '1' })]);
    await merge(`${MAPS}/a`, { data: { other: '1' } });

    expect(changes(await rig.reach([map('a', { mine: '2' })]))).toEqual(['applied ConfigMap/a']);
    expect(await rig.read(`${MAPS}/a`)).toMatchObject({ data: { mine: '2', other: '1' } });
    expect(JSON.stringify(await rig.read(`${MAPS}/a`))).not.toContain('"gone"');
    await rig.reach([map('a', { mine: '2' })]);
    expect(rig.requests).toEqual([]);
  });

  it.each([
    ['changes a value', { data: { k: 'w' } }],
    ['removes a field', { data: { k: null } }],
    ['removes a label', { metadata: { labels: { app: null } } }],
    ['changes the hash', { metadata: { annotations: { 'hooklet.dev/applied': 'x' } } }],
  ])('are put right when somebody %s', async (_, patch) => {
    const wanted = [map('a', { k: 'v' }, { labels: { app: 'a' } })];
    await rig.reach(wanted);
    const before = (await rig.read(`${MAPS}/a`)) as Json;
    await merge(`${MAPS}/a`, patch);

    expect(changes(await rig.reach(wanted))).toEqual(['applied ConfigMap/a']);
    const { data, metadata } = (await rig.read(`${MAPS}/a`)) as Json;
    expect(data).toEqual({ k: 'v' });
    expect(metadata).toMatchObject({
      labels: { app: 'a' },
      annotations: (before['metadata'] as Json)['annotations'],
    });
    await rig.reach(wanted);
    expect(rig.requests).toEqual([]);
  });

  it('that are no longer wanted are deleted by uid, when all that is wanted is there', async () => {
    await rig.reach([map('a'), map('b')]);

    expect(changes(await rig.reach([map('c')]))).toEqual([
      'created ConfigMap/c',
      'deleted ConfigMap/a',
      'deleted ConfigMap/b',
    ]);
    expect(changes(await rig.reach([]))).toEqual(['deleted ConfigMap/c']);
    expect(await rig.read(`${MAPS}/parent`)).toBeDefined();
  });

  it('are not deleted while something that is wanted has a problem', async () => {
    await rig.reach([map('a')]);
    await post(MAPS, map('taken', { k: 'theirs' }));

    const outcome = await rig.reach([map('taken', { k: 'mine' }), map('b')]);

    expect(changes(outcome)).toEqual(['created ConfigMap/b']);
    expect(outcome.problems).toMatchObject([{ type: 'taken', child: 'ConfigMap/taken' }]);
    expect(outcome.waiting).toEqual(['ConfigMap/a']);
    expect(await rig.read(`${MAPS}/taken`)).toMatchObject({ data: { k: 'theirs' } });
    expect(await rig.read(`${MAPS}/a`)).toBeDefined();
  });

  it('a copy of a child that somebody made is not one', async () => {
    await rig.reach([map('a', { k: 'v' })]);
    const { metadata, ...rest } = (await rig.read(`${MAPS}/a`)) as Json;
    const { labels, annotations, ownerReferences } = metadata as Json;
    await post(MAPS, { ...rest, metadata: { name: 'copy', labels, annotations, ownerReferences } });

    expect(changes(await rig.reach([]))).toEqual(['deleted ConfigMap/a']);
    expect(await rig.read(`${MAPS}/copy`)).toMatchObject({ data: { k: 'v' } });
  });

  it('that a watch does not show yet are found, and not made twice', async () => {
    await rig.reach([map('a', { k: 'v' })]);

    expect(changes(await rig.reach([map('a', { k: 'v' })], { live: [] }))).toEqual([]);
    expect(rig.requests).toEqual([`PATCH ${MAPS}/a`, `GET ${MAPS}/a`]);
    expect(changes(await rig.reach([map('a', { k: 'w' })], { live: [] }))).toEqual(['applied ConfigMap/a']);
  });

  it('that are gone although a watch still shows them are made again', async () => {
    await rig.reach([map('a', { k: 'v' })]);
    const live = await liveBefore();
    await rig.send({ method: 'DELETE', path: `${MAPS}/a` });

    expect(changes(await rig.reach([map('a', { k: 'w' })], { live }))).toEqual(['created ConfigMap/a']);
  });

  it('that were replaced by somebody else’s object of the same name are not touched', async () => {
    await rig.reach([map('a', { k: 'v' })]);
    const live = await liveBefore();
    await rig.send({ method: 'DELETE', path: `${MAPS}/a` });
    await post(MAPS, map('a', { k: 'theirs' }));

    expect((await rig.reach([map('a', { k: 'w' })], { live })).problems).toMatchObject([{ type: 'taken' }]);
    expect(changes(await rig.reach([], { live }))).toEqual(['absent ConfigMap/a']);
    expect(await rig.read(`${MAPS}/a`)).toMatchObject({ data: { k: 'theirs' } });
  });

  it('that are being deleted are waited for, and then made anew', async () => {
    await rig.reach([map('a')]);
    await merge(`${MAPS}/a`, { metadata: { finalizers: ['example.com/hold'] } });
    await rig.send({ method: 'DELETE', path: `${MAPS}/a` });

    const outcome = await rig.reach([map('a', { k: 'w' })]);

    expect(rig.requests).toEqual([]);
    expect(outcome).toMatchObject({ waiting: ['ConfigMap/a'], children: [{ state: 'terminating' }] });
    await merge(`${MAPS}/a`, { metadata: { finalizers: null } });
    expect(changes(await rig.reach([map('a', { k: 'w' })]))).toEqual(['created ConfigMap/a']);
  });

  it('keep what an apply cannot give them, without another request', async () => {
    const tolerance = new Tolerance();
    const client = {
      request: async (request: Parameters<typeof rig.session.client.request>[0], signal: AbortSignal) => {
        const answer = (await rig.session.client.request(request, signal)) as Json;
        if (request.method !== 'PATCH') return answer;
        const { annotations: _, ...metadata } = answer['metadata'] as Json;
        await merge(request.path, { metadata: { annotations: null } });
        return { ...answer, metadata };
      },
    };
    await rig.reach([map('a')], { session: { client, tolerance } });

    await rig.reach([map('a')], { session: { client, tolerance } });

    expect(rig.requests).toEqual([]);
  });

  it('of a Secret lose what is no longer in stringData', async () => {
    const secret = (stringData: Json) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData });
    const owns = [owned('Secret')];
    await rig.reach([secret({ a: '1', b: '2' })], { owns });

    await rig.reach([secret({ a: '1' })], { owns });

    expect(await rig.read('/api/v1/namespaces/default/secrets/s')).toMatchObject({ data: { a: 'MQ==' } });
    await rig.reach([secret({ a: '1' })], { owns });
    expect(rig.requests).toEqual([]);
  });

  it('may be given back as they were shown', async () => {
    await rig.reach([map('a', { k: 'v' })]);
    const shown = (await rig.read(`${MAPS}/a`)) as Json;

    const outcome = await rig.reach([{ ...shown, data: { k: 'w' } }]);

    expect(outcome.problems).toEqual([]);
    expect(await rig.read(`${MAPS}/a`)).toMatchObject({ data: { k: 'w' } });
  });
});

describe('after', () => {
  const job = (name: string) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
  });
  const owns = [owned('ConfigMap'), owned('Job', 'Apply', { apiVersion: 'batch/v1' })];

  it('holds a child back until the others are ready', async () => {
    const answer = [after(['Job/first'], map('last')), job('first')];

    const outcome = await rig.reach(answer, { owns });

    expect(changes(outcome)).toEqual(['created Job/first']);
    expect(outcome).toMatchObject({ waiting: ['ConfigMap/last'], problems: [] });
    expect(outcome.children).toMatchObject([
      { child: 'ConfigMap/last', waitsFor: ['Job/first'] },
      { child: 'Job/first' },
    ]);
    await merge('/apis/batch/v1/namespaces/default/jobs/first/status', {
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
    });
    expect(changes(await rig.reach(answer, { owns }))).toEqual(['created ConfigMap/last']);
  });

  it('costs no further pass where the others are ready at once', async () => {
    const outcome = await rig.reach([after(['b'], map('c')), after(['a'], map('b')), map('a')]);

    expect(changes(outcome)).toEqual(['created ConfigMap/a', 'created ConfigMap/b', 'created ConfigMap/c']);
  });
});

describe('onChange', () => {
  it('Recreate makes a child anew, and leaves one that is as wanted', async () => {
    const owns = [owned('ConfigMap', 'Recreate')];
    await rig.reach([map('a', { k: '1' }), map('b')], { owns });
    const before = uidOf((await rig.read(`${MAPS}/a`)) as Json);

    const outcome = await rig.reach([map('a', { k: '2' }), map('b')], { owns });

    expect(changes(outcome)).toEqual(['deleted ConfigMap/a', 'created ConfigMap/a']);
    expect(rig.requests).toEqual([`PATCH ${MAPS}/a?dryRun`, `DELETE ${MAPS}/a`, `PATCH ${MAPS}/a`]);
    expect(uidOf((await rig.read(`${MAPS}/a`)) as Json)).not.toBe(before);
  });

  it('OnDelete leaves a child that differs until somebody deletes it', async () => {
    const owns = [owned('ConfigMap', 'OnDelete')];
    await rig.reach([map('a', { k: '1' })], { owns });

    const outcome = await rig.reach([map('a', { k: '2' })], { owns });

    expect(outcome).toMatchObject({ applied: [], children: [{ state: 'ready', isCurrent: false }] });
    await rig.send({ method: 'DELETE', path: `${MAPS}/a` });
    expect(changes(await rig.reach([map('a', { k: '2' })], { owns }))).toEqual(['created ConfigMap/a']);
  });

  it('RollingRecreate makes one child anew at a time, the next when the last is ready', async () => {
    const owns = [owned('Pod', 'RollingRecreate')];
    const pods = (image: string) =>
      ['a', 'b', 'c'].map((name) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: { containers: [{ name: 'c', image }], terminationGracePeriodSeconds: 0 },
      }));
    const makeReady = async (name: string): Promise<void> =>
      merge(`/api/v1/namespaces/default/pods/${name}/status`, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      });
    await rig.reach(pods('one'), { owns });
    for (const name of ['a', 'b', 'c']) await makeReady(name);

    const done: string[] = [];
    for (let pass = 0; pass < 7; pass += 1) {
      const now = changes(await rig.reach(pods('two'), { owns }));
      done.push(...now);
      const made = now.find((change) => change.startsWith('created'));
      if (made === undefined) continue;
      await rig.reach(pods('two'), { owns });
      expect(rig.requests).toEqual([]);
      await makeReady(made.slice('created Pod/'.length));
    }

    expect(done).toEqual(['a', 'b', 'c'].flatMap((name) => [`deleted Pod/${name}`, `created Pod/${name}`]));
    await rig.reach(pods('two'), { owns });
    expect(rig.requests).toEqual([]);
  });
});

describe('a child whose object is emptied', () => {
  const owns = [owned('Setting', 'Apply', { apiVersion: 'example.com/v1' }), owned('ConfigMap')];
  const setting = (values: object): Json => ({
    apiVersion: 'example.com/v1',
    kind: 'Setting',
    metadata: { name: 's' },
    spec: { values },
  });
  const path = '/apis/example.com/v1/namespaces/default/settings/s';

  beforeEach(async () => {
    const values = { type: 'object', additionalProperties: { type: 'string' } };
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: { values } } } };
    await sandbox.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'settings.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'settings', kind: 'Setting' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
  });

  it.each([
    ['in two writes, as the server refuses one', [], 2],
    ['after a dry run of the first of them, where the pass deletes something', [map('old')], 3],
  ])('is written %s', async (_, others, count) => {
    await rig.reach([setting({ a: '1' }), ...others], { owns });

    const outcome = await rig.reach([setting({})], { owns });

    expect(outcome.problems).toEqual([]);
    expect(await rig.read(path)).toMatchObject({ spec: { values: {} } });
    expect(changes(outcome)).toContain('applied Setting/s');
    expect(rig.requests.filter((request) => request.startsWith(`PATCH ${path}`)).length).toBeGreaterThan(count);
    await rig.reach([setting({})], { owns });
    expect(rig.requests).toEqual([]);
  });
});

describe('the dry run', () => {
  const bad = map('bad', {}, { labels: { app: 'not a label' } });

  it('keeps everything as it is when the server refuses one child of an answer that deletes', async () => {
    await rig.reach([map('a', { k: '1' }), map('old')]);

    const outcome = await rig.reach([map('a', { k: '2' }), map('new'), bad]);

    expect(outcome).toMatchObject({ applied: [], problems: [{ type: 'refused', child: 'ConfigMap/bad' }] });
    expect(rig.requests.every((request) => request.endsWith('?dryRun'))).toBe(true);
    expect(await rig.read(`${MAPS}/a`)).toMatchObject({ data: { k: '1' } });
    expect(await rig.read(`${MAPS}/old`)).toBeDefined();
    expect(await rig.read(`${MAPS}/new`)).toBeUndefined();
  });

  it('is not made where nothing can be lost', async () => {
    const outcome = await rig.reach([map('a'), bad]);

    expect(changes(outcome)).toEqual(['created ConfigMap/a']);
    expect(outcome.problems).toMatchObject([{ type: 'refused', child: 'ConfigMap/bad' }]);
  });

  it('lets a child be made anew for a field that cannot be changed', async () => {
    const secret = (type: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, type });
    const recreated = [owned('Secret', 'Recreate')];
    await rig.reach([secret('one')], { owns: recreated });

    expect(changes(await rig.reach([secret('two')], { owns: recreated }))).toEqual([
      'deleted Secret/s',
      'created Secret/s',
    ]);
  });
});

describe('a request that fails', () => {
  /** A client that refuses the writes of the child `a`. */
  function failing(status: number, message: string) {
    return {
      request: async (request: KubeRequest, signal: AbortSignal): Promise<unknown> => {
        if (request.path !== `${MAPS}/a` || request.method === 'GET')
          return rig.session.client.request(request, signal);
        throw new KubeError(message, { status, reason: 'Timeout' });
      },
    };
  }

  it.each([
    [
      403,
      'User "x" cannot patch resource',
      'forbidden',
      /needs get, list, watch, create, patch and delete on configmaps/,
    ],
    [403, 'exceeded quota: q', 'refused', /exceeded quota/],
    [422, 'data is invalid', 'refused', /data is invalid/],
    [404, 'the server could not find the requested resource', 'kind', /does not have configmaps/],
    [404, 'namespaces "x" not found', 'refused', /namespaces "x" not found/],
    [409, 'the object has been modified', 'changed', /again and again/],
    [500, 'etcd is away', 'lost', /etcd is away/],
    [0, 'no answer', 'lost', /no answer/],
  ])('with %d %s is a problem of type %s, and the others are written', async (status, said, type, expected) => {
    await rig.reach([map('old')]);

    const outcome = await rig.reach([map('a'), map('b')], {
      live: [],
      session: { client: failing(status, said) },
    });

    expect(changes(outcome)).toEqual(['created ConfigMap/b']);
    expect(outcome.problems).toMatchObject([{ type, child: 'ConfigMap/a', message: expect.stringMatching(expected) }]);
    expect(outcome.children).toMatchObject([{ state: 'absent' }, { state: 'ready', isCurrent: true }]);
  });

  it('because the run was stopped says so', async () => {
    const controller = new AbortController();
    const client = {
      request: async (): Promise<unknown> => {
        controller.abort();
        throw new Error('aborted');
      },
    };

    const outcome = await rig.reach([map('a')], { session: { client, signal: controller.signal } });

    expect(outcome.problems).toMatchObject([{ type: 'lost', message: expect.stringMatching(/the run was stopped/) }]);
  });

  it('leaves at most 8 requests under way at the same time', async () => {
    let now = 0;
    let most = 0;
    const client = {
      request: async (request: KubeRequest, signal: AbortSignal): Promise<unknown> => {
        now += 1;
        most = Math.max(most, now);
        try {
          return await rig.session.client.request(request, signal);
        } finally {
          now -= 1;
        }
      },
    };

    await rig.reach(
      Array.from({ length: 40 }, (_, index) => map(`m-${index}`)),
      { session: { client } },
    );

    expect(most).toBe(8);
  });
});

describe('namespaces', () => {
  const owns = [
    owned('ConfigMap', 'Apply', { otherNamespaces: true }),
    owned('Namespace', 'Apply', { otherNamespaces: true }),
  ];
  const team = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };

  it('are made before what is in them, and their children are removed when the parent goes', async () => {
    const outcome = await rig.reach([map('a', {}, { namespace: 'team' }), team, map('b')], { owns });

    expect(changes(outcome)).toEqual(expect.arrayContaining(['created Namespace/team', 'created ConfigMap/a']));
    expect(outcome.problems).toEqual([]);
    const made = (await rig.read('/api/v1/namespaces/team/configmaps/a')) as Json;
    expect(made['metadata']).not.toHaveProperty('ownerReferences');
    await rig.reach([map('a', {}, { namespace: 'team' }), team, map('b')], { owns });
    expect(rig.requests).toEqual([]);

    const removal = await rig.remove(owns);

    expect(changes(removal)).toEqual(['deleted ConfigMap/a', 'deleted Namespace/team']);
    expect((await rig.remove(owns)).left).toEqual([]);
    expect(await rig.read(`${MAPS}/b`)).toBeDefined();
  });
});

async function merge(path: string, patch: object): Promise<void> {
  const contentType = 'application/merge-patch+json';
  await rig.send({ method: 'PATCH', path, body: JSON.stringify(patch), contentType, query: { fieldManager: 'other' } });
}

async function post(path: string, object: object): Promise<void> {
  await rig.send({ method: 'POST', path, body: JSON.stringify(object) });
}

/** What a watch shows now. */
async function liveBefore(): Promise<readonly LiveChild[]> {
  const object = (await rig.read(`${MAPS}/a`)) as Json;
  return [readLiveChild(object, marksOf('sites', rig.parent))];
}
