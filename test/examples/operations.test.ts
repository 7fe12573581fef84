import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { describeImages } from '../../examples/112-typescript/hooks/lib/images.ts';
import { startExample } from '../support/example-rig.ts';
import { until } from '../support/operator-rig.ts';

const configMap = (name: string, fields: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...fields,
});

describe('what hooks ask for', { timeout: 60_000 }, () => {
  it('107-patches makes, changes and deletes with every operation', async () => {
    await using example = await startExample('107-patches', { before: ['old.yaml'] });
    const data = async (name: string) => (await example.find('configmaps', name))?.['data'];
    const list = async (): Promise<readonly JsonObject[]> => {
      const path = `/api/v1/namespaces/${example.namespace}/configmaps`;
      const found = await example.get(`${path}?labelSelector=example.hooklet.dev/part-of=patches`);
      return found?.['items'] as readonly JsonObject[];
    };
    await example.apply(configMap('shared', { data: { ours: 'no', theirs: 'yes' } }));

    await example.tryOut('playground.yaml');
    await until(() => expect(example.printed()).toContain('asked for 11 changes'));
    await until(async () => expect(await data('counter')).toEqual({ runs: '1' }));
    await example.apply(configMap('playground', { data: { change: 'again' } }));
    await until(async () => expect(await data('counter')).toEqual({ runs: '2' }));

    await until(async () => expect(await example.find('configmaps', 'old-alone')).toBeUndefined());
    expect(await data('report')).toEqual({ state: 'written' });
    expect(await data('shared')).toEqual({ ours: 'yes', theirs: 'yes', checked: 'yes' });
    expect(await example.find('configmaps', 'playground')).toMatchObject({
      metadata: { annotations: { 'example.hooklet.dev/seen': 'yes' } },
    });
    expect(await example.find('configmaps', 'not-there')).toBeUndefined();
    for (const name of ['old-with-children', 'old-in-background']) {
      expect(await example.find('configmaps', name)).toBeUndefined();
    }
    expect(await list()).toHaveLength(2);
    await example.delete(configMap('playground', {}));
    await until(async () => expect(await list()).toEqual([]));
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('108-groups renders one ConfigMap from all members of the group', async () => {
    await using example = await startExample('108-groups', { before: ['services.yaml'] });
    const rendered = async () => (await example.find('configmaps', 'upstreams'))?.['data'];
    await until(async () =>
      expect(await rendered()).toEqual({ 'upstreams.conf': 'cart:8080 timeout=5s\nsearch:9200 timeout=5s\n' }),
    );

    await example.tryOut('settings.yaml');
    await until(async () =>
      expect(await rendered()).toEqual({ 'upstreams.conf': 'cart:8080 timeout=2s\nsearch:9200 timeout=2s\n' }),
    );
    await example.delete({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'cart' } });

    await until(async () => expect(await rendered()).toEqual({ 'upstreams.conf': 'search:9200 timeout=2s\n' }));
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('109-snapshots-only reports by the clock, and no event runs it', async () => {
    await using example = await startExample('109-snapshots-only', { env: { REPORT_CRONTAB: '* * * * * *' } });
    await until(() => expect(example.printed()).toContain('0 Pods, without a memory limit: none'));

    await example.tryOut('pods.yaml');

    await until(() => expect(example.printed()).toContain('2 Pods, without a memory limit: greedy'));
    const finished = example.operator.lines.filter(({ message }) => message === 'hook finished');
    expect(new Set(finished.map(({ fields }) => fields.binding))).toEqual(new Set(['report']));
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('111-metrics keeps a gauge for each ConfigMap that is there, and counts what happens', async () => {
    await using example = await startExample('111-metrics', { before: ['configmaps.yaml'] });
    const gauge = /^example_configmap_bytes\{.*configmap="small".*\} 12$/m;
    await until(async () => expect(await example.metrics()).toMatch(gauge));

    await example.apply(configMap('large', { data: { text: 'x'.repeat(5000) } }));
    await until(async () => expect(await example.metrics()).toMatch(/configmap="large".*\} 5000$/m));
    await example.delete(configMap('small', {}));
    await until(async () => expect(await example.metrics()).not.toContain('configmap="small"'));

    const metrics = await example.metrics();
    expect(metrics).toMatch(/^example_configmap_events_total\{.*event="Added".*\} 1$/m);
    expect(metrics).toMatch(/^example_configmap_events_total\{.*event="Deleted".*\} 1$/m);
    expect(metrics).toMatch(/^example_configmap_written_bytes_bucket\{.*le="10000".*\} 2$/m);
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('112-typescript keeps a ConfigMap with the images of all Deployments', async () => {
    await using example = await startExample('112-typescript', { before: ['deployments.yaml'] });
    const images = async () => (await example.find('configmaps', 'images'))?.['data'];
    // The example is itself a Deployment.
    const own = { 'registry.example.com_typescript_1': 'typescript' };
    await until(async () =>
      expect(await images()).toEqual({ ...own, 'nginx_1.29': 'docs\nweb', 'envoyproxy_envoy_v1.36.0': 'web' }),
    );

    await example.delete({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } });

    await until(async () => expect(await images()).toEqual({ ...own, 'nginx_1.29': 'docs' }));
    await until(async () => expect(await example.metrics()).toMatch(/^example_images\{.*\} 2$/m));
    expect(example.rbac.refused()).toEqual([]);
  });

  it('names an image once, with every Deployment that uses it', () => {
    expect(
      describeImages([
        { name: 'web', images: ['nginx:1', 'nginx:1'] },
        { name: 'docs', images: ['nginx:1', 'a/b@sha256:1'] },
      ]),
    ).toEqual({ a_b_sha256_1: 'docs', nginx_1: 'docs\nweb' });
  });
});
