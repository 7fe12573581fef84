import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { readManifests } from '../support/example-rig.ts';
import { until } from '../support/operator-rig.ts';
import { rbacOf } from '../support/rbac.ts';
import { labelledConfigMap, labelledSecret, startShippedHooks, targetNamespace } from '../support/shipped-hooks.ts';

const folder = fileURLToPath(new URL('../../deploy', import.meta.url));
const everywhere = join(folder, 'components', 'all-namespaces');

/** The objects that a kustomization names, without what it changes in them. */
function resourcesOf(path: string): readonly JsonObject[] {
  const [kustomization = {}] = readManifests(join(path, 'kustomization.yaml'));
  return textsAt(kustomization, 'resources').flatMap((name) => {
    const resource = join(path, name);
    return statSync(resource).isDirectory() ? resourcesOf(resource) : readManifests(resource);
  });
}

const manifests = resourcesOf(folder);
const deployment = manifests.find(({ kind }) => kind === 'Deployment') ?? {};
const [hooksPatch = {}] = readManifests(join(folder, 'hooks.yaml'));

function envOf(object: JsonObject): Readonly<Record<string, string>> {
  const [container] = objectsAt(object, 'spec', 'template', 'spec', 'containers');
  return Object.fromEntries(objectsAt(container, 'env').map((one) => [textAt(one, 'name'), textAt(one, 'value')]));
}

const copiesBinding = (namespace: string): JsonObject => {
  const found = manifests.find(
    (one) => one['kind'] === 'RoleBinding' && textAt(one, 'metadata', 'name') === 'hooklet-copies',
  );
  return { ...found, metadata: { name: 'hooklet-copies', namespace } };
};
const settingsNamespace: JsonObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hooklet' } };
const path = (namespace: string, plural: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/${plural}/${name}`;

async function copiesIn(
  namespace: string,
  options: Pick<Parameters<typeof startShippedHooks>[0] & object, 'env' | 'rbac'>,
) {
  const hooks = await startShippedHooks({
    ...options,
    before: [
      settingsNamespace,
      targetNamespace('team-a'),
      targetNamespace('team-b'),
      labelledConfigMap('registry', { url: 'one' }),
      labelledSecret('login', { user: 'one' }),
    ],
    env: { SETTINGS_NAMESPACE: 'hooklet', BACKUP_CRONTAB: '* * * * * *', ...options.env },
  });
  await until(async () => {
    expect(await hooks.get(path(namespace, 'configmaps', 'registry'))).toBeDefined();
    expect(await hooks.get(path(namespace, 'secrets', 'login'))).toBeDefined();
    expect(await hooks.get(path('hooklet', 'configmaps', 'hooklet-settings'))).toBeDefined();
    expect(readdirSync(hooks.backupDir)).toContainEqual(expect.stringMatching(/^backup-\w+\.json$/));
    expect((await fetch(`${hooks.operator.url()}/readyz`)).status).toBe(200);
  });
  return hooks;
}

describe('the rights in deploy/', { timeout: 60_000 }, () => {
  it('reach Secrets and ConfigMaps in the namespaces of COPY_NAMESPACES alone', () => {
    const secrets = manifests.filter((one) =>
      objectsAt(one, 'rules').some((rule) => textsAt(rule, 'resources').includes('secrets')),
    );
    expect(secrets.map((one) => textAt(one, 'metadata', 'name'))).toEqual(['hooklet-copies']);
    const bindings = manifests.filter((one) => textAt(one, 'roleRef', 'name') === 'hooklet-copies');

    expect(bindings.map((one) => [one['kind'], textAt(one, 'metadata', 'namespace')])).toEqual([
      ['RoleBinding', envOf(hooksPatch)['COPY_NAMESPACES']],
    ]);
  });

  it('are enough for the hooks, which ask for nothing that they have no right to', async () => {
    const rbac = rbacOf([...manifests, copiesBinding('team-a')]);
    await using hooks = await copiesIn('team-a', { rbac, env: { COPY_NAMESPACES: 'default, team-a' } });

    await hooks.asAdmin(async () => hooks.sandbox.delete(labelledConfigMap('registry', {})));
    await until(async () => expect(await hooks.get(path('team-a', 'configmaps', 'registry'))).toBeUndefined());

    expect(rbac.refused()).toEqual([]);
    expect(await hooks.get(path('team-b', 'configmaps', 'registry'))).toBeUndefined();
    const warned = hooks.operator.lines.filter(({ message }) => message.includes('not in COPY_NAMESPACES'));
    expect(JSON.stringify(warned)).toContain('team-b');
  });

  it('of the component all-namespaces are enough for every namespace', async () => {
    const rbac = rbacOf([...manifests, ...resourcesOf(everywhere)]);
    const [patch = {}] = readManifests(join(everywhere, 'namespaces.yaml'));

    await using hooks = await copiesIn('team-b', { rbac, env: { ...envOf(patch) } });

    await until(async () => expect(await hooks.get(path('team-a', 'secrets', 'login'))).toBeDefined());
    expect(rbac.refused()).toEqual([]);
  });
});

describe('deploy/', () => {
  it('lets nobody in but the namespace of Prometheus, and only to the port of metrics', () => {
    const policy = manifests.find(({ kind }) => kind === 'NetworkPolicy') ?? {};
    const labels = objectAt(deployment, 'spec', 'selector', 'matchLabels');

    expect(policy['spec']).toEqual({
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
          ports: [{ protocol: 'TCP', port: 'metrics' }],
        },
      ],
    });
  });

  it('puts everything into the namespace hooklet but what must be elsewhere', () => {
    const places = manifests.map((one) => [one['kind'], textAt(one, 'metadata', 'namespace')]);

    expect(places.filter(([, namespace]) => namespace !== 'hooklet')).toEqual([
      ['Namespace', ''],
      ['ClusterRole', ''],
      ['ClusterRole', ''],
      ['ClusterRoleBinding', ''],
      ['RoleBinding', 'default'],
    ]);
  });

  it('for own hooks has no right, volume or setting of the shipped ones', () => {
    const own = resourcesOf(join(folder, 'own-hooks'));
    const verbs = own.flatMap((one) => objectsAt(one, 'rules')).flatMap((rule) => textsAt(rule, 'verbs'));
    const [container = {}] = objectsAt(
      own.find(({ kind }) => kind === 'Deployment'),
      'spec',
      'template',
      'spec',
      'containers',
    );

    expect(verbs).toEqual(['list', 'watch']);
    expect(own.map(({ kind }) => kind)).not.toContain('PersistentVolumeClaim');
    expect(JSON.stringify(own)).not.toContain('secrets');
    const names = ['env', 'volumeMounts'].map((list) => objectsAt(container, list).map((one) => textAt(one, 'name')));
    expect(names).toEqual([['POD_NAMESPACE'], ['tmp']]);
  });

  it('has components that change its own objects alone, and lists each', () => {
    const names = readdirSync(join(folder, 'components'));
    const listed = (path: string): readonly string[] =>
      [...readFileSync(join(folder, path), 'utf8').matchAll(/components\/([\w-]+)/g)].map(([, name = '']) => name);

    expect(listed('kustomization.yaml').toSorted()).toEqual(names);
    expect(new Set(listed('README.md'))).toEqual(new Set(names));
    for (const name of names) {
      const [component = {}] = readManifests(join(folder, 'components', name, 'kustomization.yaml'));
      const patched = objectsAt(component, 'patches').flatMap((one) =>
        readManifests(join(folder, 'components', name, textAt(one, 'path'))),
      );
      const targets = patched.map((one) => `${textAt(one, 'kind')} ${textAt(one, 'metadata', 'name')}`);
      expect(targets.filter((one) => one !== 'Deployment hooklet' && one !== 'NetworkPolicy hooklet-webhooks')).toEqual(
        [],
      );
    }
  });

  it('probes at /readyz/webhooks where hooks answer the API server, and lets an Ingress pass /trigger/ alone', () => {
    const [patch = {}] = readManifests(join(folder, 'components', 'webhooks', 'replicas.yaml'));
    const [container = {}] = objectsAt(patch, 'spec', 'template', 'spec', 'containers');
    const [ingress = {}] = readManifests(join(folder, 'components', 'http-triggers', 'ingress.yaml'));
    const paths = objectsAt(ingress, 'spec', 'rules').flatMap((rule) => objectsAt(rule, 'http', 'paths'));

    expect(textAt(container, 'readinessProbe', 'httpGet', 'path')).toBe('/readyz/webhooks');
    expect(paths.map((one) => textAt(one, 'path'))).toEqual(['/trigger/']);
  });

  it('has a Pod that the Pod security standard restricted admits', () => {
    const pod = objectAt(deployment, 'spec', 'template', 'spec');
    const [container = {}] = objectsAt(pod, 'containers');

    expect(objectAt(pod, 'securityContext')).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(objectAt(container, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });
});
