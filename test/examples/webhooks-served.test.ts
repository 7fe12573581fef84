import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { type ExampleRig, startExample } from '../support/example-rig.ts';
import { until } from '../support/operator-rig.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';

/** Waits until the configuration of this example has these webhooks. */
async function registers(example: ExampleRig, plural: string, names: readonly string[]): Promise<void> {
  const path = `${CONFIGURATIONS}/${plural}/${example.namespace}-hooks`;
  const webhooks = names.map((name) => ({ name, clientConfig: { caBundle: expect.any(String) } }));
  await until(async () => expect(await example.get(path)).toMatchObject({ webhooks }));
}

/** The rights that were not used, but those that only a real API server asks for, and those for new certificates. */
function unusedOf({ rbac }: ExampleRig): readonly string[] {
  return rbac
    .unused()
    .filter((right) => !/^create \S+webhookconfigurations|^(?:create|patch) events$|^patch secrets$/.test(right));
}

const deployment = (namespace: string, name: string, containers: readonly JsonObject[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
  },
});

describe.each(['hooks', 'typescript'])('the webhooks in %s, asked by an API server', { timeout: 60_000 }, (hooks) => {
  it('204-validating-webhook refuses foreign images where it is asked, and learns of new registries', async () => {
    await using example = await startExample('204-validating-webhook', { hooks, before: ['1-namespace.yaml'] });
    await registers(example, 'validatingwebhookconfigurations', ['images.example.hooklet.dev']);

    await example.tryOut('2-allowed.yaml');
    await expect(example.tryOut('3-foreign.yaml')).rejects.toThrow(
      'admission webhook "images.example.hooklet.dev" denied the request: docker.io/library/nginx:1.29: take images of registry.example.com/ or registry.k8s.io/',
    );
    await example.apply(deployment('default', 'other', [{ name: 'web', image: 'docker.io/library/nginx:1.29' }]));
    await example.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'registries' },
      data: { allowed: 'docker.io/library/\nregistry.k8s.io/\n' },
    });

    await until(async () => example.tryOut('3-foreign.yaml'));
    expect([example.rbac.refused(), unusedOf(example)]).toEqual([[], []]);
  });

  it('206-mutating-webhook writes who created a Deployment, and the requests of containers, also of one that comes later', async () => {
    await using example = await startExample('206-mutating-webhook', { hooks, before: ['1-namespace.yaml'] });
    const names = ['creator.example.hooklet.dev', 'requests.example.hooklet.dev'];
    await registers(example, 'mutatingwebhookconfigurations', names);
    const requestsOf = (requests: JsonObject) => ({ resources: { requests } });
    const path = (name: string) => `/apis/apps/v1/namespaces/example-shop/deployments/${name}`;

    await example.tryOut('2-deployment.yaml');
    await example.apply(deployment('default', 'other', [{ name: 'web', image: 'registry.example.com/web:1' }]));

    expect(await example.get(path('web'))).toMatchObject({
      metadata: { annotations: { 'example.hooklet.dev/creator': 'admin' } },
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'web', ...requestsOf({ cpu: '50m', memory: '64Mi' }) },
              { name: 'proxy', ...requestsOf({ cpu: '200m', memory: '64Mi' }) },
            ],
          },
        },
      },
    });
    await example.apply(deployment('example-shop', 'web', [{ name: 'late', image: 'registry.example.com/late:1' }]));
    expect(await example.get(path('web'))).toMatchObject({
      metadata: { annotations: { 'example.hooklet.dev/creator': 'admin' } },
      spec: { template: { spec: { containers: [{ name: 'late', ...requestsOf({ cpu: '50m', memory: '64Mi' }) }] } } },
    });
    const asked = await example.get('/apis/apps/v1/namespaces/default/deployments/other');
    expect(JSON.stringify(asked)).not.toMatch(/creator|requests/);
    expect([example.rbac.refused(), unusedOf(example)]).toEqual([[], []]);
  });
});

describe('the converters of an example, asked by an API server', { timeout: 60_000 }, () => {
  it('210-conversion-webhook stores Timers of all versions as v1, and gives them in the version that is asked for', async () => {
    await using example = await startExample('210-conversion-webhook', { before: ['1-crd.yaml'] });
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/timers.example.hooklet.dev';
    await until(async () =>
      expect(await example.get(crd)).toMatchObject({ spec: { conversion: { strategy: 'Webhook' } } }),
    );
    const timer = async (version: string) =>
      example.get(`/apis/example.hooklet.dev/${version}/namespaces/${example.namespace}/timers/lunch`);

    await example.tryOut('2-timer.yaml');

    expect(await timer('v1')).toMatchObject({
      apiVersion: 'example.hooklet.dev/v1',
      spec: { message: 'It is time.', schedule: { crontab: '30 12 * * *', timeZone: 'Europe/Berlin' } },
    });
    expect(await timer('v1beta1')).toMatchObject({ spec: { crontab: '30 12 * * *', timeZone: 'Europe/Berlin' } });
    expect(await timer('v1alpha1')).toMatchObject({ spec: { when: 'TZ=Europe/Berlin 30 12 * * *' } });
    // It looks for webhooks that an earlier version of the hooks left, and does without.
    const refused = example.rbac.refused().filter((right) => !right.startsWith('get '));
    expect([refused, unusedOf(example)]).toEqual([[], []]);
  });
});
