import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { parseAllDocuments } from 'yaml';
import { TEMPLATES, templateFiles, type TemplateName } from '../../../src/cli/author/templates.ts';
import { manifestsCommand, manifestsRequest } from '../../../src/cli/deploy/command.ts';
import { baseObjects } from '../../../src/cli/deploy/base.ts';
import { manifestsYaml, type ManifestsRequest } from '../../../src/cli/deploy/manifests.ts';
import { grantingRoles } from '../../../src/cli/deploy/rights-text.ts';
import { builtInKinds } from '../../../src/cli/built-in-kinds.ts';
import type { Hook } from '../../../src/hook/binding.ts';
import { bindingNeeds } from '../../../src/rights/binding-needs.ts';
import { resourcesAmong } from '../../../src/rights/known-resource.ts';
import type { Need } from '../../../src/rights/need.ts';
import { parseConfig } from '../../../src/hook/config.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';

const REQUEST: ManifestsRequest = {
  name: 'hooklet',
  namespace: 'hooklet',
  image: 'example.com/hooks:1',
  withEvents: true,
  withNamespace: false,
  areSharded: false,
};

function hook(name: string, config: object): Hook {
  const text = JSON.stringify({ configVersion: 'v1', ...config });
  const parsed = parseConfig(text, () => undefined);
  if (parsed.type === 'invalid') throw new Error(JSON.stringify(parsed.issues));
  const { bindings, settings } = parsed;
  return { name, path: join('/hooks', name), type: 'process', bindings, settings };
}

const PODS = hook('pods.sh', { kubernetes: [{ name: 'pods', kind: 'Pod' }] });
const JUDGE = hook('judge.sh', {
  kubernetesValidating: [
    {
      name: 'no-latest.example.com',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
  ],
});
const CALLED = hook('called.sh', { http: [{ name: 'deploy' }] });
const HEAVY = hook('heavy.sh', { onStartup: 1, settings: { executor: 'job' } });
const MANY = hook('many.sh', { onStartup: 1, settings: { executor: 'workers' } });
const POOLED = hook('pooled.sh', { onStartup: 1, settings: { executor: { workers: { pool: 'gpu' } } } });
const ELSEWHERE = hook('far.sh', { onStartup: 1, settings: { executor: { job: { namespace: 'heavy' } } } });

function yamlFor(hooks: readonly Hook[], request: Partial<ManifestsRequest> = {}): string {
  const needs = hooks.flatMap((one) => bindingNeeds(one, resourcesAmong(builtInKinds())));
  return manifestsYaml(hooks, needs, { ...REQUEST, ...request });
}

function objectsFor(hooks: readonly Hook[], request: Partial<ManifestsRequest> = {}): readonly JsonObject[] {
  return objectsIn(yamlFor(hooks, request));
}

function objectsIn(text: string): readonly JsonObject[] {
  return parseAllDocuments(text).map((document) => {
    const value: unknown = document.toJS();
    if (isJsonObject(value)) return value;
    throw new Error(`no object: ${JSON.stringify(value)}`);
  });
}

/** The objects in `manifests/` of a project that `hooklet init` makes. */
function objectsOfProject(template: TemplateName, name: string): readonly JsonObject[] {
  const files = templateFiles(template, { name, version: '1.0.0' });
  return files
    .filter(({ path }) => path.startsWith('manifests/') && !path.endsWith('kustomization.yaml'))
    .flatMap(({ text }) => objectsIn(text));
}

/** What the API server lets nobody change in a Deployment, and what has to go with it. */
function identityOf(objects: readonly unknown[]): JsonObject {
  const deployment = objects.filter(isJsonObject).find(({ kind }) => kind === 'Deployment') ?? {};
  return {
    name: textAt(deployment, 'metadata', 'name'),
    selector: objectAt(deployment, 'spec', 'selector', 'matchLabels'),
    labels: objectAt(deployment, 'spec', 'template', 'metadata', 'labels'),
    account: textAt(deployment, 'spec', 'template', 'spec', 'serviceAccountName'),
    containers: objectsAt(deployment, 'spec', 'template', 'spec', 'containers').map((one) => textAt(one, 'name')),
  };
}

function namesOf(objects: readonly JsonObject[]): readonly string[] {
  return objects.map((object) => `${textAt(object, 'kind')} ${textAt(object, 'metadata', 'name')}`);
}

function rulesOf(objects: readonly JsonObject[], name: string): readonly string[] {
  return objects
    .filter((object) => textAt(object, 'metadata', 'name') === name)
    .flatMap((object) => objectsAt(object, 'rules'))
    .map((rule) => `${textsAt(rule, 'resources').join()}: ${textsAt(rule, 'verbs').join(' ')}`);
}

// As the hooks that hooklet init makes.
const OWN_NAMESPACE = `#!/bin/sh
echo '{"configVersion": "v1", "kubernetes": [{"kind": "Service",
  "namespace": {"nameSelector": {"matchNames": ["'"\${POD_NAMESPACE:-default}"'"]}}}]}'
`;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('hooklet manifests', () => {
  it.each([
    [true, undefined, 'team'],
    [false, undefined, 'team'],
    [true, 'other', 'other'],
  ])('asks hooks with the namespace that the Pod tells them (events %s, POD_NAMESPACE %s: %s)', async (...row) => {
    const [events, given, expected] = row;
    vi.stubEnv('POD_NAMESPACE', given);
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'own.sh'), OWN_NAMESPACE, { mode: 0o755 });
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    const flags = { image: 'a:1', namespace: 'team', events };
    expect(await manifestsCommand(folder.path, flags)).toBe(0);

    const text = String(printed.mock.calls[0]?.[0]);
    expect(text).toContain(`name: hooklet-hooks\n  namespace: ${expected}\n`);
    expect(text).toMatch(/name: POD_NAMESPACE\s+valueFrom:\s+fieldRef:\s+fieldPath: metadata\.namespace/);
  });

  it('prints a Deployment with the image, its account, and what its bindings need', () => {
    const objects = objectsFor([PODS]);

    expect(namesOf(objects)).toEqual([
      'ServiceAccount hooklet',
      'NetworkPolicy hooklet',
      'Role hooklet-events',
      'RoleBinding hooklet-events',
      'ClusterRole hooklet-hooklet-hooks',
      'ClusterRoleBinding hooklet-hooklet-hooks',
      'Deployment hooklet',
    ]);
    expect(rulesOf(objects, 'hooklet-hooklet-hooks')).toEqual(['pods: list watch']);
    expect(yamlFor([PODS])).toContain('# hook pods.sh: binding "pods" follows Pod');
    expect(JSON.stringify(objects.at(-1))).toContain('"image":"example.com/hooks:1"');
  });

  it('prints the same text for the same hooks, in any order', () => {
    expect(yamlFor([PODS, JUDGE])).toBe(yamlFor([JUDGE, PODS]));
  });

  it('has Services, rights and two replicas for webhooks', () => {
    const objects = objectsFor([JUDGE]);

    expect(namesOf(objects)).toEqual(
      expect.arrayContaining([
        'Service shell-operator-validating-svc',
        'PodDisruptionBudget hooklet',
        'ClusterRole hooklet-webhooks',
        'Role hooklet-webhook-certificates',
      ]),
    );
    expect(objects.at(-1)).toMatchObject({ spec: { replicas: 2, strategy: { type: 'RollingUpdate' } } });
  });

  it('has a Lease for more than one replica', () => {
    expect(namesOf(objectsFor([PODS], { replicas: 3 }))).toContain('Role hooklet-leader-election');
    expect(namesOf(objectsFor([PODS]))).not.toContain('Role hooklet-leader-election');
  });

  it('has the rights of replicas that divide objects in place of those of a leader, 3 replicas or as many as asked', () => {
    const objects = objectsFor([PODS], { areSharded: true });
    const names = namesOf(objects).filter((name) => name.startsWith('Role '));

    expect(names).toEqual(['Role hooklet-events', 'Role hooklet-shards']);
    expect(rulesOf(objects, 'hooklet-shards')).toEqual([
      'leases: get list create update delete',
      'configmaps: create',
      'configmaps: get update',
    ]);
    expect(objects.at(-1)).toMatchObject({ spec: { replicas: 3, strategy: { type: 'RollingUpdate' } } });
    const five = objectsFor([PODS], { areSharded: true, replicas: 5 });
    expect(namesOf(five)).toEqual(namesOf(objects));
    expect(five.at(-1)).toMatchObject({ spec: { replicas: 5 } });
  });

  it('has no leader where replicas divide objects, with webhooks neither', () => {
    const pod = objectAt(objectsFor([PODS, JUDGE], { areSharded: true }).at(-1), 'spec', 'template', 'spec');
    const env = objectsAt(pod, 'containers').flatMap((one) => objectsAt(one, 'env'));

    expect(env.filter(({ name }) => name === 'HOOKLET_LEADER_ELECT' || name === 'HOOKLET_SHARDS')).toEqual([
      { name: 'HOOKLET_SHARDS', value: 'true' },
      { name: 'HOOKLET_LEADER_ELECT', value: 'false' },
    ]);
  });

  it('names the Leases and the ConfigMap of replicas that divide objects after the installation', () => {
    const text = yamlFor([PODS], { name: 'one', areSharded: true });

    expect(text).toMatch(/HOOKLET_SHARDS_LEASE_NAME\s+value: one-shards\n/);
    expect(text).toMatch(/resourceNames:\s+(?:- |\[)one-shards-slices/);
    expect(yamlFor([PODS], { name: 'one' })).not.toContain('SHARDS');
  });

  it('refuses hooks whose objects cannot be divided among replicas, all problems at once', async () => {
    using folder = temporaryFolder();
    const config = {
      configVersion: 'v1',
      settings: { executor: 'job' },
      kubernetes: [{ kind: 'Node', apiVersion: 'v1', shard: 'namespace' }],
    };
    writeFileSync(join(folder.path, 'a.sh'), `#!/bin/sh\necho '${JSON.stringify(config)}'\n`, { mode: 0o755 });
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    const flags = { image: 'a:1', events: true, shards: true };
    expect(await manifestsCommand(folder.path, flags)).toBe(1);

    expect(printed).not.toHaveBeenCalled();
    expect(said.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(/^hooklet: manifests: --shards: hook a\.sh: settings\.executor: only hooks whose objects/),
      expect.stringMatching(/^hooklet: manifests: --shards: hook a\.sh: kubernetes\[0]\.shard: Node is cluster-scoped/),
    ]);
  });

  it('has an Ingress for http bindings only with a host', () => {
    const without = namesOf(objectsFor([CALLED]));
    const objects = objectsFor([CALLED], { host: 'hooks.test' });

    expect(without).toContain('Service hooklet-triggers');
    expect(without).not.toContain('Ingress hooklet-triggers');
    expect(objects.find(({ kind }) => kind === 'Ingress')).toMatchObject({
      spec: { rules: [{ host: 'hooks.test' }], tls: [{ hosts: ['hooks.test'] }] },
    });
    expect(() => objectsFor([PODS], { host: 'hooks.test' })).toThrow(
      '--host hooks.test is for http bindings, and no hook has one',
    );
  });

  it('has a Service, a port and rights for hooks whose runs are Jobs', () => {
    const objects = objectsFor([HEAVY, PODS]);

    expect(namesOf(objects)).toEqual(
      expect.arrayContaining(['Service hooklet-jobs', 'NetworkPolicy hooklet-jobs', 'ClusterRole hooklet-jobs']),
    );
    expect(namesOf(objectsFor([PODS])).filter((name) => name.includes('jobs'))).toEqual([]);
    expect(JSON.stringify(objects.at(-1))).toContain('{"name":"jobs","containerPort":9682}');
    // The component has all of it.
    expect(rulesOf(objects, 'hooklet-hooks')).toEqual([]);
    expect(rulesOf(objects, 'hooklet-jobs')).toContain('tokenreviews: create');
    expect(rulesOf(objects, 'hooklet-jobs-certificate')).toEqual(['secrets: get list watch patch', 'secrets: create']);
  });

  it('has a Deployment of workers, the port that they ask, and no right to make Pods for hooks that they execute', () => {
    const objects = objectsFor([MANY, PODS]);

    expect(namesOf(objects)).toEqual([
      'ServiceAccount hooklet',
      'NetworkPolicy hooklet',
      'Role hooklet-events',
      'RoleBinding hooklet-events',
      'Service hooklet-jobs',
      'NetworkPolicy hooklet-jobs',
      'Role hooklet-jobs-certificate',
      'RoleBinding hooklet-jobs-certificate',
      'ClusterRole hooklet-jobs',
      'ClusterRoleBinding hooklet-jobs',
      'ServiceAccount hooklet-workers',
      'NetworkPolicy hooklet-workers',
      'ClusterRole hooklet-hooklet-hooks',
      'ClusterRoleBinding hooklet-hooklet-hooks',
      'Deployment hooklet',
      'Deployment hooklet-workers',
    ]);
    const resources = objects.flatMap((object) =>
      objectsAt(object, 'rules').flatMap((rule) => textsAt(rule, 'resources')),
    );
    expect(new Set(resources)).toEqual(new Set(['events', 'pods', 'secrets', 'tokenreviews']));
    expect(rulesOf(objects, 'hooklet-hooklet-hooks')).toEqual(['pods: list watch']);
  });

  it('gives workers no token but that for hooklet, and of its Secret the authority alone', () => {
    const workers = objectsFor([MANY]).at(-1);
    const pod = objectAt(workers, 'spec', 'template', 'spec');

    expect(pod).toMatchObject({ automountServiceAccountToken: false, serviceAccountName: 'hooklet-workers' });
    expect(objectsAt(pod, 'volumes').find(({ name }) => name === 'operator')).toEqual({
      name: 'operator',
      projected: {
        sources: [
          { serviceAccountToken: { audience: 'hooklet', expirationSeconds: 3600, path: 'token' } },
          { secret: { name: 'hooklet-jobs-certs', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        ],
      },
    });
  });

  it('selects no worker by what selects hooklet, and no worker of another pool', () => {
    const objects = objectsFor([MANY, POOLED, JUDGE], { name: 'one' });
    const [operator, ...workers] = objects
      .filter(({ kind }) => kind === 'Deployment')
      .map((one) => objectAt(one, 'spec', 'template', 'metadata', 'labels'));
    const selectors = objects
      .filter((one) => ['Service', 'PodDisruptionBudget', 'Deployment'].includes(textAt(one, 'kind')))
      .map((one) => {
        const selector = objectAt(one, 'spec', 'selector');
        return isJsonObject(selector['matchLabels']) ? selector['matchLabels'] : selector;
      });
    const selectedBy = (labels: JsonObject | undefined) =>
      selectors.filter((one) => Object.entries(one).every(([key, value]) => labels?.[key] === value));

    expect(workers).toEqual([
      expect.objectContaining({ 'app.kubernetes.io/name': 'one-workers', 'hooklet.dev/pool': 'default' }),
      expect.objectContaining({ 'app.kubernetes.io/name': 'one-workers', 'hooklet.dev/pool': 'gpu' }),
    ]);
    for (const labels of workers) expect(selectedBy(labels)).toHaveLength(1);
    expect(selectedBy(operator).length).toBe(selectors.length - 2);
  });

  it('has a Deployment for each pool, with the image of hooklet and as many Pods as somebody else says', () => {
    const deployments = objectsFor([MANY, POOLED], { replicas: 3 }).filter(({ kind }) => kind === 'Deployment');
    const containers = deployments.map((one) => objectsAt(one, 'spec', 'template', 'spec', 'containers')[0]);

    expect(namesOf(deployments)).toEqual([
      'Deployment hooklet',
      'Deployment hooklet-workers',
      'Deployment hooklet-workers-gpu',
    ]);
    expect(deployments.map((one) => objectAt(one, 'spec')['replicas'])).toEqual([3, undefined, undefined]);
    expect(containers.map((one) => one?.['image'])).toEqual(Array.from(containers, () => 'example.com/hooks:1'));
    const args = ['work', '--operator', 'https://hooklet-jobs.$(POD_NAMESPACE).svc:9682', '--capacity', '4'];
    expect(containers.map((one) => one?.['args'])).toEqual([undefined, args, [...args, '--pool', 'gpu']]);
    expect(namesOf(objectsFor([POOLED])).filter((name) => name.startsWith('Deployment'))).toEqual([
      'Deployment hooklet',
      'Deployment hooklet-workers-gpu',
    ]);
  });

  it('tells workers and hooklet each other in an installation with another name', () => {
    const text = yamlFor([POOLED], { name: 'one', namespace: 'team' });

    expect(text).toMatch(/HOOKLET_JOBS_SERVICE_NAME\s+value: one-jobs/);
    expect(text).toMatch(/HOOKLET_WORKERS_ACCOUNT\s+value: one-workers/);
    expect(text).toContain('https://one-jobs.$(POD_NAMESPACE).svc:9682');
    expect(text).not.toMatch(/hooklet-(?:workers|jobs)/);
    expect(text.match(/HOOKLET_WORKERS_ACCOUNT/g)).toHaveLength(1);
    expect(yamlFor([PODS, HEAVY], { name: 'one' })).not.toContain('workers');
  });

  it.each([
    [[MANY], ['team']],
    [[ELSEWHERE], ['heavy']],
    [
      [MANY, ELSEWHERE],
      ['heavy', 'team'],
    ],
    [[MANY, HEAVY], ['team']],
  ])('lets in the namespaces of workers and Jobs, and never everybody', (hooks, namespaces) => {
    const objects = objectsFor(hooks, { namespace: 'team' });
    const policy = objects.find((object) => namesOf([object])[0] === 'NetworkPolicy hooklet-jobs');
    const from = objectsAt(policy, 'spec', 'ingress').flatMap((rule) => objectsAt(rule, 'from'));

    const podSelector = { matchLabels: { 'app.kubernetes.io/managed-by': 'hooklet' } };
    expect(from).toEqual(
      namespaces.map((name) =>
        name === 'team'
          ? { podSelector }
          : { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } }, podSelector },
      ),
    );
  });

  it('lets the Pods of Jobs in other namespaces ask, and makes a Role there', () => {
    const objects = objectsFor([HEAVY, ELSEWHERE], { name: 'one', namespace: 'team' });
    const policy = objects.find((object) => namesOf([object])[0] === 'NetworkPolicy one-jobs');
    const roles = objects.filter(({ kind }) => kind === 'Role');
    const role = roles.find((object) => textAt(object, 'metadata', 'namespace') === 'heavy');

    const podSelector = { matchLabels: { 'app.kubernetes.io/managed-by': 'hooklet' } };
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'heavy' } };
    expect(policy).toMatchObject({
      spec: { ingress: [{ from: [{ namespaceSelector, podSelector }, { podSelector }], ports: [{ port: 'jobs' }] }] },
    });
    expect(role && rulesOf([role], 'one-hooks')).toEqual([
      'pods: get list watch',
      'jobs: get list watch create patch delete',
      'events: list',
    ]);
  });

  it('remarks that a namespace of Jobs must be there, unless it is that of hooklet', () => {
    const remark = '# The namespace heavy must be there before: Jobs of hooks are in it.\n';

    expect(yamlFor([HEAVY, ELSEWHERE])).toContain(remark);
    expect(yamlFor([HEAVY, ELSEWHERE], { namespace: 'heavy' })).not.toContain('must be there');
  });

  it('tells Jobs the Service and the Secret of an installation with another name', () => {
    const text = yamlFor([HEAVY], { name: 'one', namespace: 'team' });

    expect(text).toMatch(/HOOKLET_JOBS_SERVICE_NAME\s+value: one-jobs/);
    expect(text).toMatch(/resourceNames: \[one-jobs-certs\]/);
    expect(yamlFor([PODS], { name: 'one' })).not.toContain('HOOKLET_JOBS');
  });

  it('keeps what two installations have apart by their names', () => {
    const one = { name: 'one', namespace: 'team' };
    const own = namesOf(objectsFor([PODS, JUDGE, CALLED], { ...one, host: 'one.test' }));

    expect(own.filter((name) => /hooklet|shell-operator/.test(name))).toEqual([]);
    const text = yamlFor([PODS, JUDGE, CALLED], { ...one, host: 'one.test' });
    expect(text).not.toMatch(/namespace: hooklet|name: hooklet-/);
    expect(text).toMatch(/HOOKLET_VALIDATING_WEBHOOK_SERVICE_NAME\s+value: one-webhooks/);
    expect(text).toMatch(/resourceNames: \[one-webhook-certs\]/);
    expect(text).toMatch(/resourceNames: \[one-hooks\]/);
  });

  it.each(TEMPLATES)('replaces the Deployment of a project of the template %s under its name', (template) => {
    const objects = objectsOfProject(template, 'shop');
    const printed = objectsFor([PODS], { name: 'shop', namespace: 'shop' });

    expect(identityOf(objects)).toEqual(identityOf(printed));
    // Each has rights that the other lacks, so neither replaces those.
    const roles = namesOf(objects).filter((name) => name.includes('Role'));
    expect(namesOf(printed).filter((name) => roles.includes(name))).toEqual([]);
    const selectors = objects.filter(({ kind }) => kind === 'Service').map((one) => objectAt(one, 'spec', 'selector'));
    for (const selector of selectors) expect(selector).toEqual({ 'app.kubernetes.io/name': 'shop' });
  });

  it('replaces the Deployment of deploy/ when it has no other name', () => {
    expect(identityOf(objectsFor([PODS]))).toEqual(identityOf(baseObjects([])));
  });

  it('limits rules to the namespaces that a binding names', () => {
    const named = hook('a.sh', {
      kubernetes: [{ kind: 'Secret', namespace: { nameSelector: { matchNames: ['team-a', 'team-b'] } } }],
    });
    const roles = objectsFor([named]).filter(({ kind }) => kind === 'Role');

    expect(roles.map((role) => textAt(role, 'metadata', 'namespace'))).toEqual(['hooklet', 'team-a', 'team-b']);
  });

  it('grants what is optional by a rule of its own, and says what a need of any name grants only once', () => {
    const need: Need = {
      group: '',
      resource: 'secrets',
      verb: 'get',
      namespace: '',
      of: { type: 'hooklet' },
      reason: 'a certificate',
    };
    const optional: Need = { ...need, verb: 'delete', name: 'a', isOptional: true };
    const needs = [{ ...need, name: 'a' }, need, need, { ...need, namespace: 'team' }, optional];
    const roles = grantingRoles(needs, { name: 'hooklet', namespace: 'hooklet' });

    expect(roles.map(({ role }) => role['rules'])).toEqual([
      [
        { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['delete'] },
      ],
    ]);
    expect(roles[0]?.remarks).toEqual([
      [expect.stringMatching('WARNING: this reads every Secret'), 'hooklet: a certificate'],
      ['optional: hooklet: a certificate'],
    ]);
  });

  it('grants Events about objects of a reconcile hook where they are, as an optional rule', () => {
    const parent = { apiVersion: 'v1', kind: 'ConfigMap', namespace: { nameSelector: { matchNames: ['team'] } } };
    const text = yamlFor([hook('a.sh', { reconcile: [parent] })]);
    const role = parseAllDocuments(text)
      .map((document): unknown => document.toJS())
      .filter(isJsonObject)
      .find((object) => object['kind'] === 'Role' && textAt(object, 'metadata', 'namespace') === 'team');

    expect(role && rulesOf([role], 'hooklet-hooks')).toContain('events: create patch');
    expect(text).toMatch(/# optional: hook a\.sh: reconcile "[^"]*": Events about its objects/);
  });

  it('grants what hooklet needs for these hooks and no component grants: the ConfigMap of dead letters', () => {
    const retry = { retry: { max: 1, onExhausted: 'dead' } };
    const role = (one: Hook, name = 'one'): readonly string[] =>
      rulesOf(
        objectsFor([one], { name, withEvents: false }).filter(({ kind }) => kind === 'Role'),
        `${name}-hooks`,
      );

    expect(role(hook('a.sh', { schedule: [{ crontab: '* * * * *', ...retry }] }))).toEqual([
      'configmaps: create',
      'configmaps: get patch',
    ]);
    expect(yamlFor([hook('a.sh', { schedule: [{ crontab: '* * * * *', ...retry }] })], { name: 'one' })).toContain(
      'resourceNames: [one-dead-letters]',
    );
    expect(role(JUDGE)).toEqual([]);
    expect(role(CALLED)).toEqual([]);
    expect(role(hook('b.sh', { schedule: [{ crontab: '* * * * *', missed: 'latest' }] }))).toEqual([]);
  });

  it('grants with --scenarios what the hooks do in them', async () => {
    using folder = temporaryFolder();
    const body = `#!/bin/sh
if [ "$1" = --config ]; then echo '{"configVersion": "v1", "schedule": [{"crontab": "* * * * *"}]}'; exit; fi
echo '{"operation":"Create","object":{"apiVersion":"v1","kind":"Secret","metadata":{"generateName":"a-","namespace":"shop"}}}' > "$KUBERNETES_PATCH_PATH"
`;
    const story =
      'given: {objects: [{apiVersion: v1, kind: Namespace, metadata: {name: shop}}]}\nsteps: [{tick: 1m}]\n';
    mkdirSync(join(folder.path, 'hooks'));
    writeFileSync(join(folder.path, 'hooks', 'a.sh'), body, { mode: 0o755 });
    writeFileSync(join(folder.path, 'a.scenario.yaml'), story);
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const flags = { image: 'a:1', events: true, scenarios: [folder.path] };

    expect(await manifestsCommand(join(folder.path, 'hooks'), flags)).toBe(0);

    const text = String(printed.mock.calls[0]?.[0]);
    expect(text).toContain('# The rules are those of bindings and of what the hooks do in their scenarios.\n');
    expect(text).toContain(`name: hooklet-hooks
  namespace: shop
  labels:
    app.kubernetes.io/name: hooklet
rules:
  # hook a.sh: Create of Secret, seen once
  - apiGroups: [""]
    resources: [secrets]
    verbs: [create]
`);
  });

  it('says of a custom resource that its name is a guess', () => {
    const text = yamlFor([hook('a.sh', { kubernetes: [{ kind: 'Policy', apiVersion: 'example.com/v1' }] })]);

    expect(text).toContain('# unverified: no list of kinds has it; give its definition with --crds');
    expect(text).toContain('resources: [policies]');
  });

  it('prints the namespace only where it is asked for, with the Pod security standard restricted', () => {
    const [namespace] = objectsFor([PODS], { withNamespace: true, namespace: 'team' });

    expect(namespace).toMatchObject({
      kind: 'Namespace',
      metadata: { name: 'team', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  });

  it('says of each wrong flag what it got and what it expects', () => {
    const flags = { image: 'a b', name: 'A', namespace: '-', replicas: '0', host: '/x', events: true };

    expect(() => manifestsRequest(flags)).toThrow(
      /--image: got a b.*\n--name: got A.*\n--namespace: got -.*\n--replicas: got 0.*\n--host: got \/x/,
    );
    expect(() => manifestsRequest({ events: true })).toThrow('--image is missing');
  });
});
