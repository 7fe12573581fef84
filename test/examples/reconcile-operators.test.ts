import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { textAt } from '@hooklet/sandbox/testing';
import { type ExampleRig, startExample } from '../support/example-rig.ts';
import { until } from '../support/operator-rig.ts';
import { watchEvents } from '../support/seen-events.ts';

const GROUP = 'example.hooklet.dev/v1';

/** The object at an API path, once `fields` are in it. */
async function hasFields(example: ExampleRig, path: string, fields: object): Promise<JsonObject> {
  await until(async () => expect(await example.get(path)).toMatchObject(fields));
  return (await example.get(path)) ?? {};
}

/** Deletes an object, and waits until another one has its place. */
async function comesBack(example: ExampleRig, path: string): Promise<void> {
  const old = await hasFields(example, path, {});
  await example.delete(old);
  await until(async () => {
    const uid = textAt((await example.get(path)) ?? {}, 'metadata', 'uid');
    expect(['', textAt(old, 'metadata', 'uid')]).not.toContain(uid);
  });
}

async function isGone(example: ExampleRig, path: string): Promise<void> {
  await until(async () => expect(await example.get(path)).toBeUndefined());
}

/**
 * The rights that were not used, but those that only a real API server asks for (to create by server-side apply, to name
 * an owner that is blocked, to bind a role), and those for what was given up or paused.
 */
function unusedOf({ rbac }: ExampleRig): readonly string[] {
  const others = /^(?:create |update \S+\/finalizers|bind |patch (?:events|configmaps)$)/;
  return rbac.unused().filter((right) => !others.test(right));
}

describe.each(['hooks', 'typescript'])('the small operators in %s', { timeout: 60_000 }, (hooks) => {
  it('113-web-site serves the pages of a WebSite, follows its changes, and takes nothing of others', async () => {
    await using example = await startExample('113-web-site', { hooks, before: ['1-crd.yaml', '2-web-site.yaml'] });
    const { namespace } = example;
    const map = `/api/v1/namespaces/${namespace}/configmaps/docs`;
    const deployment = `/apis/apps/v1/namespaces/${namespace}/deployments/docs`;
    const site = (name: string) => `/apis/${GROUP}/namespaces/${namespace}/websites/${name}`;
    const annotation = (object: JsonObject) =>
      textAt(object, 'spec', 'template', 'metadata', 'annotations', 'example.hooklet.dev/pages');
    await hasFields(example, map, { data: { 'index.html': '<h1>Hello</h1>' } });
    await hasFields(example, `/api/v1/namespaces/${namespace}/services/docs`, { spec: { selector: { app: 'docs' } } });
    const before = await hasFields(example, deployment, { spec: { replicas: 1 } });
    await hasFields(example, site('docs'), {
      status: {
        url: 'http://docs.example-web-site.svc',
        observedGeneration: 1,
        conditions: [{ type: 'Ready', status: 'False', reason: 'ChildrenNotReady' }],
      },
    });

    await example.apply({
      apiVersion: GROUP,
      kind: 'WebSite',
      metadata: { name: 'docs' },
      spec: { pages: { 'index.html': 'new' }, replicas: 2 },
    });
    const after = await hasFields(example, deployment, { spec: { replicas: 2 } });
    await hasFields(example, map, { data: { 'index.html': 'new' } });
    expect(annotation(before)).toMatch(/^[\da-f]{64}$/);
    expect([annotation(before), '']).not.toContain(annotation(after));
    await comesBack(example, map);

    const foreign = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'taken' }, data: { a: 'theirs' } };
    await example.apply(foreign);
    await example.apply({ apiVersion: GROUP, kind: 'WebSite', metadata: { name: 'taken' }, spec: { pages: {} } });
    await hasFields(example, site('taken'), {
      status: { conditions: [{ status: 'False', reason: 'ChildNameTaken' }] },
    });
    expect(await example.find('configmaps', 'taken')).toMatchObject({ data: { a: 'theirs' } });
    expect([example.rbac.refused(), unusedOf(example)]).toEqual([[], []]);
  });

  it('114-team-namespace gives a Team a namespace with quota, rights and policy, until the Team is deleted', async () => {
    await using example = await startExample('114-team-namespace', { hooks, before: ['1-crd.yaml', '2-team.yaml'] });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/team-blue/rolebindings/team';
    const policy = '/apis/networking.k8s.io/v1/namespaces/team-blue/networkpolicies/team';
    const subjects = (...names: readonly string[]) => ({ subjects: names.map((name) => ({ kind: 'User', name })) });
    await hasFields(example, rbac, { ...subjects('ada', 'grace'), roleRef: { name: 'edit' } });
    await hasFields(example, '/api/v1/namespaces/team-blue/resourcequotas/team', { spec: { hard: { pods: '20' } } });
    await hasFields(example, `/apis/${GROUP}/teams/blue`, {
      status: { namespace: 'team-blue', members: 2, conditions: [{ type: 'Ready', status: 'True' }] },
    });

    const team = { apiVersion: GROUP, kind: 'Team', metadata: { name: 'blue' } };
    await example.apply({ ...team, spec: { members: ['ada'], quota: { pods: '30' } } });
    await hasFields(example, rbac, subjects('ada'));
    await hasFields(example, '/api/v1/namespaces/team-blue/resourcequotas/team', { spec: { hard: { pods: '30' } } });
    await comesBack(example, policy);
    await example.delete(team);

    await isGone(example, '/api/v1/namespaces/team-blue');
    expect([example.rbac.refused(), unusedOf(example)]).toEqual([[], []]);
  });

  it('115-secret-copies keeps copies without a moment in which one is gone, and deletes them with their Secret', async () => {
    await using example = await startExample('115-secret-copies', { hooks, before: ['namespaces.yaml'] });
    const copyIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets/registry-login`;
    const withUser = (user: string) => ({ data: { user: Buffer.from(user).toString('base64') } });
    const metadata = { name: 'registry-login', labels: { 'example.hooklet.dev/copy': 'true' } };
    const source = { apiVersion: 'v1', kind: 'Secret', metadata };
    const target = (name: string, labels: JsonObject) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels },
    });
    await using seen = await watchEvents(example.sandbox, '/api/v1/secrets');
    await example.tryOut('secret.yaml');
    await hasFields(example, copyIn('example-green'), withUser('reader'));
    const first = await hasFields(example, copyIn('example-red'), withUser('reader'));

    await example.apply({ ...source, stringData: { user: 'writer' } });
    await hasFields(example, copyIn('example-red'), withUser('writer'));
    await example.restart();
    await example.apply({ ...source, stringData: { user: 'owner' } });
    await example.apply(target('example-late', { 'example.hooklet.dev/secrets': 'true' }));
    await hasFields(example, copyIn('example-late'), withUser('owner'));
    await hasFields(example, copyIn('example-green'), withUser('owner'));
    const last = await hasFields(example, copyIn('example-red'), withUser('owner'));
    expect(textAt(last, 'metadata', 'uid')).toBe(textAt(first, 'metadata', 'uid'));
    expect(seen.lines.filter((line) => line.startsWith('DELETED'))).toEqual([]);

    await example.apply(target('example-late', {}));
    await isGone(example, copyIn('example-late'));
    await hasFields(example, copyIn(example.namespace), {
      metadata: { finalizers: [expect.stringMatching(/^hooklet\.dev\/secret-copies-/)] },
    });
    await comesBack(example, copyIn('example-green'));
    await example.delete(source);

    await isGone(example, copyIn(example.namespace));
    expect([await example.get(copyIn('example-red')), await example.get(copyIn('example-green'))]).toEqual([
      undefined,
      undefined,
    ]);
    await until(() => expect(seen.lines).toContain('DELETED example-red/registry-login'));
    expect([example.rbac.refused(), unusedOf(example)]).toEqual([[], []]);
  });
});
