import { describe, expect, it } from 'vitest';
import type { Authorize, Sandbox } from '@hooklet/sandbox';
import { asking, sandboxForTest } from '@hooklet/sandbox/testing';
import { CONVERTS, converting, cronTab, cronTabDefinition } from '../support/conversion-crd.ts';
import { recordingHook, sandboxCluster, until } from '../support/operator-rig.ts';
import { postReview, startWebhooks, type WebhookRig, type WebhookRigOptions } from '../support/webhook-rig.ts';

/** A test starts an operator with real processes, on a machine that may be busy. */
const LIMIT_MS = 120_000;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CRD = `${CRDS}/crontabs.example.com`;
const tabs = (version: string): string => `/apis/example.com/${version}/namespaces/default/crontabs`;

async function rigOf(
  sandbox: Sandbox,
  hooks: WebhookRigOptions['hooks'],
  more: Partial<WebhookRigOptions> = {},
): Promise<WebhookRig> {
  return startWebhooks({ connect: sandboxCluster(sandbox), hooks, ...more });
}

async function sandboxWith(...versions: readonly string[]): Promise<Sandbox> {
  const sandbox = await sandboxForTest();
  await define(sandbox, versions);
  return sandbox;
}

async function define(sandbox: Sandbox, versions: readonly string[]): Promise<void> {
  expect((await asking(sandbox)('POST', CRDS, cronTabDefinition(versions))).status).toBe(201);
}

interface Registered {
  readonly strategy?: string;
  readonly webhook?: {
    readonly clientConfig?: { readonly url?: string; readonly caBundle?: string };
    readonly conversionReviewVersions?: readonly string[];
  };
}

async function registered(sandbox: Sandbox): Promise<Registered> {
  const { body } = await asking(sandbox)('GET', CRD);
  return Object(body['spec'])['conversion'] ?? {};
}

async function isRegistered(sandbox: Sandbox): Promise<void> {
  await until(async () => expect((await registered(sandbox)).strategy).toBe('Webhook'));
}

async function readiness(rig: WebhookRig): Promise<string> {
  const response = await fetch(`${rig.url()}/readyz?verbose`);
  return `${response.status} ${await response.text()}`;
}

async function metric(rig: WebhookRig, start: string): Promise<string | undefined> {
  const text = await (await fetch(`${rig.url()}/metrics`)).text();
  return text.split('\n').find((line) => line.startsWith(`shell_operator_${start}`));
}

describe('a hook that converts', { timeout: LIMIT_MS }, () => {
  it('is registered in the CustomResourceDefinition, asked, and counted', async () => {
    const sandbox = await sandboxWith('v1', 'v2');
    await using rig = await rigOf(sandbox, { 'a.sh': recordingHook(converting(['v1>v2', 'v2>v1']), CONVERTS) });
    await isRegistered(sandbox);

    const made = await asking(sandbox)('POST', tabs('v2'), cronTab('example.com/v2', 'a', { spec: { x: 1 } }));
    expect(made).toMatchObject({ status: 201, body: { apiVersion: 'example.com/v2' } });
    const { body } = await asking(sandbox)('GET', `${tabs('v1')}/a`);

    expect(body).toMatchObject({ apiVersion: 'example.com/v1', spec: { x: 1, way: ['v2>v1'] } });
    expect(rig.contexts('a.sh')[0]).toEqual({
      binding: 'crontabs',
      type: 'Conversion',
      fromVersion: 'v2',
      toVersion: 'v1',
      review: {
        request: {
          uid: expect.any(String),
          desiredAPIVersion: 'example.com/v1',
          objects: [expect.objectContaining({ apiVersion: 'example.com/v2' })],
        },
      },
    });
    expect(await registered(sandbox)).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: {
          url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/crontabs\.example\.com$/),
          caBundle: Buffer.from(rig.certificate.cert).toString('base64'),
        },
        conversionReviewVersions: ['v1', 'v1beta1'],
      },
    });
    await until(async () => expect(await readiness(rig)).toMatch(/^200 [^]*\[\+\]conversion-server ok/));
    const counted = 'conversion_requests_total{crd="crontabs.example.com",result="converted"} ';
    await until(async () => expect(Number((await metric(rig, counted))?.split(' ')[1])).toBeGreaterThan(0));
    expect(await metric(rig, 'conversion_request_seconds_count')).toContain('crd="crontabs.example.com"');
  });

  it('is registered with the rights to get and update the definition alone', async () => {
    const authorize: Authorize = ({ resource, verb }) =>
      resource !== 'customresourcedefinitions' || ['get', 'update', 'create'].includes(verb);
    const sandbox = await sandboxForTest({ authorize });
    await define(sandbox, ['v1', 'v2']);

    await using rig = await rigOf(sandbox, { 'a.sh': recordingHook(converting(['v1>v2', 'v2>v1']), CONVERTS) });

    await isRegistered(sandbox);
    expect((await registered(sandbox)).webhook?.clientConfig?.caBundle).toBe(
      Buffer.from(rig.certificate.cert).toString('base64'),
    );
    const made = await asking(sandbox)('POST', tabs('v2'), cronTab('example.com/v2', 'a'));
    expect(made).toMatchObject({ status: 201 });
  });

  it('is one of two in a chain over three versions', async () => {
    const sandbox = await sandboxWith('v1', 'v2', 'v3');
    await using _rig = await rigOf(sandbox, {
      'a.sh': recordingHook(converting(['v1>v2']), CONVERTS),
      'b.sh': recordingHook(converting(['example.com/v2>example.com/v3']), CONVERTS),
    });
    await isRegistered(sandbox);
    for (const name of ['a', 'b']) await asking(sandbox)('POST', tabs('v1'), cronTab('example.com/v1', name));

    const { body } = await asking(sandbox)('GET', tabs('v3'));

    const way = ['v1>v2', 'example.com/v2>example.com/v3'];
    expect(body).toMatchObject({ items: [{ spec: { way } }, { spec: { way } }] });
    const { body: other } = await asking(sandbox)('POST', tabs('v3'), cronTab('example.com/v3', 'c'));
    expect(JSON.stringify(other)).toContain('no hook converts from \\"example.com/v3\\" to example.com/v1');
  });

  it('that fails says why to the caller of the API server', async () => {
    const cases: readonly (readonly [name: string, body: string, message: string])[] = [
      ['says', `echo '{"failedMessage":"spec.x is too old"}' > "$CONVERSION_RESPONSE_PATH"`, 'spec.x is too old'],
      ['exits', 'exit 3', 'exit code 3'],
      ['silent', ':', 'it wrote nothing to CONVERSION_RESPONSE_PATH'],
      ['renames', `${CONVERTS}; sed -i 's/"name": "a"/"name": "b"/' "$CONVERSION_RESPONSE_PATH"`, 'must not change'],
    ];
    for (const [name, body, message] of cases) {
      const sandbox = await sandboxWith('v1', 'v2');
      await using rig = await rigOf(sandbox, { [`${name}.sh`]: recordingHook(converting(['v1>v2']), body) });
      await isRegistered(sandbox);
      await asking(sandbox)('POST', tabs('v1'), cronTab('example.com/v1', 'a'));

      const answer = await asking(sandbox)('GET', `${tabs('v2')}/a`);

      expect(answer.status).toBe(500);
      const text = JSON.stringify(answer.body);
      expect(text).toContain(`conversion webhook for example.com/v1, Kind=CronTab failed: hook ${name}.sh, v1 to v2: `);
      expect(text).toContain(message);
      await until(() => expect(rig.lines.map((line) => line.message)).toContain('objects were not converted'));
    }
  });

  it('that writes nonsense has failed, and nothing that it asked for is done', async () => {
    const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made', namespace: 'default' } };
    const patch = `echo '${JSON.stringify({ operation: 'Create', object: made })}' > "$KUBERNETES_PATCH_PATH"`;
    const body = `${patch}; ${CONVERTS}; echo done >> "$CONVERSION_RESPONSE_PATH"`;
    const sandbox = await sandboxWith('v1', 'v2');
    await using rig = await rigOf(sandbox, { 'a.sh': recordingHook(converting(['v1>v2']), body) });
    await isRegistered(sandbox);
    await asking(sandbox)('POST', tabs('v1'), cronTab('example.com/v1', 'a'));

    const answer = await asking(sandbox)('GET', `${tabs('v2')}/a`);

    expect(JSON.stringify(answer.body)).toContain('CONVERSION_RESPONSE_PATH cannot be read as JSON');
    expect((await asking(sandbox)('GET', '/api/v1/namespaces/default/configmaps/made')).status).toBe(404);
    expect(await metric(rig, 'hook_run_errors_total{')).toMatch(/ [1-9]\d*$/);
  });
});

const WARM = `import { conversion, defineHook } from 'hooklet';
export default defineHook({
  bindings: {
    tabs: conversion({
      crdName: 'crontabs.example.com',
      from: 'v1',
      to: 'v2',
      convert: ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, seen: true } }),
    }),
  },
});
`;

describe('a warm hook that converts', { timeout: LIMIT_MS }, () => {
  it('takes at most 8 times as long for 10,000 objects in one review as for 2,500', async () => {
    const sandbox = await sandboxWith('v1', 'v2');
    await using rig = await rigOf(sandbox, { 'warm.ts': WARM });
    await isRegistered(sandbox);
    const { pathname: path, port } = new URL((await registered(sandbox)).webhook?.clientConfig?.url ?? '');
    const target = { port: Number(port), path: `${path}?timeout=30s`, ca: rig.certificate.cert };
    const timed = async (count: number): Promise<number> => {
      const objects = Array.from({ length: count }, (_, index) =>
        cronTab('example.com/v1', `o${index}`, { spec: { text: 'x'.repeat(1000) } }),
      );
      const request = { uid: '1', desiredAPIVersion: 'example.com/v2', objects };
      const startedAt = performance.now();
      const { response } = await postReview(target, {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        request,
      });
      const durationMs = performance.now() - startedAt;
      expect(response['result']).toEqual({ status: 'Success' });
      expect(response['convertedObjects']).toHaveLength(count);
      return durationMs;
    };
    const best = async (count: number): Promise<number> =>
      Math.min(await timed(count), await timed(count), await timed(count), await timed(count));
    await timed(2500);

    expect(await best(10_000)).toBeLessThan(8 * (await best(2500)));
  });
});

describe('a converter', { timeout: LIMIT_MS }, () => {
  it('of a CustomResourceDefinition that comes later is registered then, and holds up nothing before', async () => {
    const sandbox = await sandboxForTest();
    await using rig = await rigOf(sandbox, {
      'a.sh': recordingHook(converting(['v1>v2']), CONVERTS),
      'b.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }),
    });
    await until(async () => {
      expect(await readiness(rig)).toMatch(
        /^200 [^]*\[!\]converter crontabs\.example\.com: the CustomResourceDefinition is not there yet/,
      );
    });
    expect(rig.contexts('b.sh')).toEqual([{ binding: 'onStartup' }]);

    await define(sandbox, ['v1', 'v2']);
    await isRegistered(sandbox);
    expect((await asking(sandbox)('DELETE', CRD)).status).toBe(200);
    await until(async () => expect((await asking(sandbox)('GET', CRD)).status).toBe(404));
    await define(sandbox, ['v1', 'v2']);
    await isRegistered(sandbox);
  });

  it('is put back when its caBundle is emptied or the definition is applied again', async () => {
    const sandbox = await sandboxWith('v1', 'v2');
    await using _rig = await rigOf(sandbox, { 'a.sh': recordingHook(converting(['v1>v2']), CONVERTS) });
    await isRegistered(sandbox);
    const before = await registered(sandbox);
    const patch = async (conversion: object): Promise<void> => {
      const body = { spec: { conversion } };
      const url = new URL(CRD, sandbox.url);
      const headers = {
        authorization: `Bearer ${sandbox.token}`,
        'content-type': 'application/merge-patch+json',
      };
      const answer = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(body) });
      expect(answer.status).toBe(200);
      await until(async () => expect(await registered(sandbox)).toEqual(before));
    };

    await patch({ webhook: { clientConfig: { caBundle: null } } });
    await patch({ strategy: 'None', webhook: null });
    await patch({ webhook: { clientConfig: { url: null, service: { namespace: 'x', name: 'y' } } } });
  });

  it('stays registered when its hook is removed, says so, and what to do', async () => {
    const sandbox = await sandboxWith('v1', 'v2');
    await using rig = await rigOf(sandbox, { 'a.sh': recordingHook(converting(['v1>v2']), CONVERTS) });
    await isRegistered(sandbox);
    await asking(sandbox)('POST', tabs('v1'), cronTab('example.com/v1', 'a'));

    rig.change('a.sh');

    await until(() => {
      const line = rig.lines.find(({ message }) => message.startsWith('no hook converts this any more'));
      expect(line?.fields).toMatchObject({
        crd: 'crontabs.example.com',
        advice: expect.stringContaining('kubectl patch crd crontabs.example.com --type merge'),
      });
    });
    expect(await registered(sandbox)).toMatchObject({ strategy: 'Webhook' });
    const { body } = await asking(sandbox)('GET', `${tabs('v2')}/a`);
    expect(JSON.stringify(body)).toContain('no hook converts from \\"example.com/v1\\" to example.com/v2');

    rig.change('a.sh', recordingHook(converting(['v1>v2']), CONVERTS));
    await until(async () => expect((await asking(sandbox)('GET', `${tabs('v2')}/a`)).status).toBe(200));
  });

  it('of another hooklet is left alone while it answers, and who has it is told', async () => {
    const sandbox = await sandboxWith('v1', 'v2');
    const hooks = { 'a.sh': recordingHook(converting(['v1>v2']), CONVERTS) };
    await using first = await rigOf(sandbox, hooks);
    await isRegistered(sandbox);
    const before = await registered(sandbox);
    await using second = await rigOf(sandbox, hooks, {
      configurationName: 'second',
      env: { POD_NAME: 'second', POD_NAMESPACE: 'default' },
    });

    await until(async () => {
      expect(await readiness(second)).toContain(
        `[!]converter crontabs.example.com: belongs to the hooklet default/test, at ${before.webhook?.clientConfig?.url}`,
      );
    });
    expect(await metric(second, 'conversion_registered')).toBe(
      'shell_operator_conversion_registered{crd="crontabs.example.com"} 0',
    );
    expect(await metric(first, 'conversion_registered')).toMatch(/ 1$/);
    await until(async () => {
      const { body } = await asking(sandbox)('GET', '/api/v1/namespaces/default/events');
      expect(JSON.stringify(body)).toContain('ConverterContested');
    });
    expect(await registered(sandbox)).toEqual(before);
  });

  it('answers on a replica that stands by', async () => {
    const sandbox = await sandboxWith('v1', 'v2');
    await asking(sandbox)('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'x' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 3600, renewTime: '2199-01-01T00:00:00.000000Z' },
    });
    const leaderElection = { leaseName: 'x', leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 200 };
    const hooks = { 'a.sh': recordingHook({ ...converting(['v1>v2']), onStartup: 1 }, CONVERTS) };
    const env = { POD_NAME: 'standby', POD_NAMESPACE: 'default' };
    await using rig = await rigOf(sandbox, hooks, { env, operator: { leaderElection } });
    await isRegistered(sandbox);
    await asking(sandbox)('POST', tabs('v1'), cronTab('example.com/v1', 'a'));

    expect((await asking(sandbox)('GET', `${tabs('v2')}/a`)).status).toBe(200);
    expect(rig.contexts('a.sh').map(({ type }) => type)).toEqual(['Conversion']);
  });

  it('has the snapshots that its binding includes', async () => {
    const sandbox = await sandboxWith('v1', 'v2');
    const maps = {
      name: 'maps',
      kind: 'ConfigMap',
      executeHookOnEvent: [],
      executeHookOnSynchronization: false,
      jqFilter: '.metadata.name',
      keepFullObjectsInMemory: false,
    };
    await asking(sandbox)('POST', '/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'seen', namespace: 'default' },
    });
    const config = {
      ...converting(['v1>v2'], 'example.com', { includeSnapshotsFrom: ['maps'] }),
      kubernetes: [maps],
    };
    await using rig = await rigOf(sandbox, { 'a.sh': recordingHook(config, CONVERTS) });
    await isRegistered(sandbox);
    await asking(sandbox)('POST', tabs('v1'), cronTab('example.com/v1', 'a'));
    await asking(sandbox)('GET', `${tabs('v2')}/a`);

    expect(rig.contexts('a.sh')).toEqual([
      expect.objectContaining({ type: 'Conversion', snapshots: { maps: [{ filterResult: 'seen' }] } }),
    ]);
  });
});
