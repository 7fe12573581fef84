import { copyFileSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { examplesDir, type ExampleRig, readManifests, startExample } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';

const CONFIGMAP_EXAMPLE = '201-hooks-in-a-configmap';

const service = (name: string, port: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port }] },
});

const configMap = (name: string, fields: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...fields,
});

const dataOf = async (example: ExampleRig, name: string) => (await example.find('configmaps', name))?.['data'];

/** The files of the generated ConfigMap as a kubelet mounts them: links to a hidden folder, with the mode of the volume. */
function mountedHooks(): string {
  const [kustomization = {}] = readManifests(join(examplesDir, CONFIGMAP_EXAMPLE, 'kustomization.yaml'));
  const files = objectsAt(kustomization, 'configMapGenerator').flatMap((generator) => textsAt(generator, 'files'));
  const tmp = temporaryFolder();
  onTestFinished(() => tmp[Symbol.dispose]());
  const root = join(tmp.path, 'hooks');
  mkdirSync(join(root, '..2026_01_01'), { recursive: true });
  symlinkSync('..2026_01_01', join(root, '..data'));
  for (const file of files) {
    copyFileSync(join(examplesDir, CONFIGMAP_EXAMPLE, file), join(root, '..2026_01_01', basename(file)));
    symlinkSync(join('..data', basename(file)), join(root, basename(file)));
  }
  return root;
}

describe('several hooks, and where they come from', { timeout: 60_000 }, () => {
  it('200-advanced makes the settings before all else, keeps the inventory, and reports from another queue', async () => {
    const env = { REPORT_CRONTAB: '* * * * * *' };
    await using example = await startExample('200-advanced', { env, before: ['objects.yaml'] });
    await until(async () =>
      expect(await dataOf(example, 'inventory')).toEqual({ title: 'Inventory', pods: 'web', services: 'web' }),
    );
    expect(example.printed().slice(0, 3)).toEqual([
      'settings',
      'the settings are there, the inventory begins',
      'inventory written',
    ]);
    await until(() => expect(example.printed()).toContain('Inventory: Pods 1, Services 1'));

    await example.apply(configMap('inventory-settings', { data: { title: 'Ours' } }));
    await example.apply(service('api', 8080));
    await until(async () =>
      expect(await dataOf(example, 'inventory')).toEqual({ title: 'Ours', pods: 'web', services: 'api web' }),
    );
    await example.restart();
    await until(() => expect(example.printed()).toContain('Ours: Pods 1, Services 2'));

    const queues = () =>
      example.operator.lines
        .filter(({ message }) => message === 'hook finished')
        .map(({ fields }) => `${String(fields['hook'])} in ${String(fields['queue'])}`);
    await until(() =>
      expect(new Set(queues())).toEqual(
        new Set([
          '100-inventory/settings.sh in main',
          '000-announce/started.sh in main',
          '100-inventory/collect.sh in main',
          '200-report/report.sh in reports',
        ]),
      ),
    );
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('200-advanced prints a Pod that has failed', async () => {
    await using example = await startExample('200-advanced');
    await until(() => expect(example.printed()).toContain('inventory written'));

    const spec = { containers: [{ name: 'job', image: 'busybox:1.37' }] };
    await example.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'job' }, spec });
    await example.setStatus(`/api/v1/namespaces/${example.namespace}/pods/job`, { phase: 'Failed' });

    await until(() => expect(example.printed()).toContain('Pod job has failed'));
  });

  it('201-hooks-in-a-configmap runs from links to files, as a kubelet mounts them', async () => {
    await using example = await startExample(CONFIGMAP_EXAMPLE, { hooksDir: mountedHooks() });
    await until(() => expect(example.printed()).toEqual(['hello from a ConfigMap', 'Services at the start: 0']));

    await example.tryOut('service.yaml');
    await until(() => expect(example.printed()).toContain('Added web, ports 80'));
    await example.delete(service('web', 80));

    await until(() => expect(example.printed()).toContain('Deleted web, ports 80'));
    expect(example.operator.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('201-hooks-in-a-configmap mounts what its kustomization makes', () => {
    const [kustomization = {}] = readManifests(join(examplesDir, CONFIGMAP_EXAMPLE, 'kustomization.yaml'));
    const deploy = readManifests(join(examplesDir, CONFIGMAP_EXAMPLE, 'manifests', 'deploy.yaml'));
    const deployment = deploy.find(({ kind }) => kind === 'Deployment');
    const [generator = {}] = objectsAt(kustomization, 'configMapGenerator');
    const volumes = objectsAt(deployment, 'spec', 'template', 'spec', 'volumes');
    const hooks = readdirSync(join(examplesDir, CONFIGMAP_EXAMPLE, 'hooks'));

    expect(textsAt(generator, 'files')).toEqual(hooks.map((hook) => `hooks/${hook}`));
    expect(textsAt(kustomization, 'resources')).toEqual(['manifests/deploy.yaml']);
    expect(textAt(generator, 'namespace')).toBe('example-hooks-in-a-configmap');
    expect(volumes.map((volume) => objectAt(volume, 'configMap'))).toContainEqual({
      name: textAt(generator, 'name'),
      defaultMode: expect.anything(),
    });
  });

  it('202-other-base-image says on which system it runs', async () => {
    await using example = await startExample('202-other-base-image');

    await until(() => expect(example.printed()).toEqual([expect.stringMatching(/^onStartup on \w+/)]));
  });

  it('220-execution-rate prints 20 changes in at most 4 runs, and each of them', async () => {
    await using example = await startExample('220-execution-rate', { env: { MIN_INTERVAL: '2s' } });
    await until(async () => expect((await fetch(`${example.operator.url()}/readyz`)).status).toBe(200));
    const names = Array.from({ length: 20 }, (_, index) => `config-${index}`);
    const metadata = (name: string) => ({ name, labels: { 'example.hooklet.dev/watched': 'true' } });

    await Promise.all(names.map(async (name) => example.apply({ ...configMap(name, {}), metadata: metadata(name) })));

    const changed = () => example.printed().flatMap((line) => line.replace(/^\d+ change\(s\): /, '').split(' '));
    await until(() => expect(changed().toSorted()).toEqual(names.toSorted()));
    expect(example.printed().length).toBeLessThanOrEqual(4);
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('230-configmap-python keeps a ConfigMap with the hosts of all Ingresses, the first by name', async () => {
    await using example = await startExample('230-configmap-python', { before: ['ingresses.yaml'] });
    const hosts = async (): Promise<unknown> => JSON.parse(textAt(await dataOf(example, 'hosts'), 'hosts.json'));
    await until(async () =>
      expect(await hosts()).toEqual({
        'docs.example.com': 'docs',
        'shop.example.com': 'shop',
        'www.example.com': 'shop',
      }),
    );

    const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' };
    const defaultBackend = { service: { name: 'a', port: { number: 80 } } };
    await example.delete({ ...ingress, metadata: { name: 'shop' } });
    const spec = { rules: [{ host: 'docs.example.com' }], defaultBackend };
    await example.apply({ ...ingress, metadata: { name: 'another' }, spec });

    await until(async () => expect(await hosts()).toEqual({ 'docs.example.com': 'another' }));
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });
});
