import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { startExample } from '../support/example-rig.ts';
import { until } from '../support/operator-rig.ts';

describe('the common jobs', { timeout: 60_000 }, () => {
  it('101-monitor-pods counts the Pods at the start and prints each new one', async () => {
    await using example = await startExample('101-monitor-pods');
    await until(() => expect(example.printed()).toEqual(['Pods at the start: 0']));

    await example.tryOut('pod.yaml');

    await until(() => expect(example.printed()).toContain('Pod web is new and runs nginx:1.29'));
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('102-monitor-namespaces prints what comes, goes and is labelled, and nothing else', async () => {
    await using example = await startExample('102-monitor-namespaces');
    await until(() => expect(example.printed()[0]).toMatch(/^namespaces at the start: .*\bdefault\b/));
    const namespace = (metadata: JsonObject = {}) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'example-namespace', ...metadata },
    });

    await example.tryOut('namespace.yaml');
    await until(() => expect(example.printed()).toContain('namespace example-namespace was created'));
    await example.apply(namespace({ labels: { team: 'a' }, annotations: { nobody: 'cares' } }));
    await example.apply(namespace({ labels: { team: 'b' } }));
    await until(() => expect(example.printed().filter((line) => line.includes('"team":"b"'))).toHaveLength(1));
    await example.delete(namespace());

    await until(() => expect(example.printed().at(-1)).toBe('namespace example-namespace was deleted'));
    expect(example.printed()).toHaveLength(4);
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('103-schedule runs by five and by six fields', async () => {
    await using example = await startExample('103-schedule', { env: { REPORT_CRONTAB: '* * * * * *' } });

    await until(() => expect(example.printed()).toContain('binding report is due'));
    await until(() => expect(example.printed()).toContain('alive, 1 tick(s)'));
  });

  it('104-secret-copier copies into all namespaces, follows changes, and leaves what belongs to others', async () => {
    await using example = await startExample('104-secret-copier', { before: ['namespaces.yaml'] });
    const copyIn = async (namespace: string) => example.get(`/api/v1/namespaces/${namespace}/secrets/registry-login`);
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    await example.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'registry-login', namespace: 'example-team-b' },
      stringData: { user: 'somebody' },
    });

    await example.tryOut('secret.yaml');
    await until(async () => expect(await copyIn('default')).toMatchObject({ data: { user: encoded('reader') } }));
    await example.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'registry-login', labels: { 'example.hooklet.dev/copy': 'true' } },
      stringData: { user: 'writer' },
    });
    await until(async () =>
      expect(await copyIn('example-team-a')).toMatchObject({
        data: { user: encoded('writer') },
        metadata: { labels: { 'example.hooklet.dev/copied-from': 'example-secret-copier' } },
      }),
    );
    await example.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'example-late' } });
    await until(async () => expect(await copyIn('example-late')).toBeDefined());
    await example.delete({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'registry-login' } });

    await until(async () =>
      expect([await copyIn('default'), await copyIn('example-team-a'), await copyIn('example-late')]).toEqual([
        undefined,
        undefined,
        undefined,
      ]),
    );
    expect(await copyIn('kube-system')).toBeUndefined();
    expect(await copyIn('example-team-b')).toMatchObject({ data: { user: encoded('somebody') } });
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });

  it('105-crd-simple answers custom resources in their status, also those that were there before', async () => {
    await using example = await startExample('105-crd-simple', { before: ['1-crd.yaml', '2-greeting.yaml'] });
    const path = `/apis/example.hooklet.dev/v1/namespaces/${example.namespace}/greetings`;
    await until(async () =>
      expect(await example.get(`${path}/first`)).toMatchObject({ status: { message: 'Hello, world!' } }),
    );

    const greeting = (name: string, to: string) => ({
      apiVersion: 'example.hooklet.dev/v1',
      kind: 'Greeting',
      metadata: { name },
      spec: { name: to },
    });
    await example.apply(greeting('second', 'you'));
    await example.apply(greeting('first', 'moon'));

    await until(async () => {
      expect(await example.get(`${path}/first`)).toMatchObject({ status: { message: 'Hello, moon!' } });
      expect(await example.get(`${path}/second`)).toMatchObject({ status: { message: 'Hello, you!' } });
    });
    // Nothing was given up.
    const unused = ['patch configmaps', 'create configmaps'];
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], unused]);
  });

  it('106-monitor-events prints new warnings, and only those', async () => {
    await using example = await startExample('106-monitor-events');
    const event = (name: string, fields: Readonly<Record<string, string>>) => ({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace: example.namespace },
      action: 'Restarting',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example',
      reportingInstance: 'example-1',
      regarding: { apiVersion: 'v1', kind: 'Pod', name: 'web', namespace: example.namespace },
      ...fields,
    });
    await until(async () => expect((await fetch(`${example.operator.url()}/readyz`)).status).toBe(200));

    await example.apply(event('normal', { type: 'Normal', reason: 'Pulled', note: 'image pulled' }));
    await example.apply(event('warning', { type: 'Warning', reason: 'BackOff', note: 'restarting failed container' }));

    await until(() => expect(example.printed()).toEqual(['Pod/web: BackOff: restarting failed container']));
    expect([example.rbac.refused(), example.rbac.unused()]).toEqual([[], []]);
  });
});
