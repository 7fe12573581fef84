import { createServer } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Authorize } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { listWebhooks, removeWebhooks } from '../../src/cli/webhooks/webhooks.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { CONVERTER_OWNER } from '../../src/sources/conversion/crd-conversion.ts';
import { refusalsText, writtenBy } from '../../src/sources/admission/registered.ts';
import { createCertificate } from '../support/certificate.ts';
import { cronTabDefinition } from '../support/conversion-crd.ts';
import { sandboxCluster } from '../support/operator-rig.ts';

const certificate = createCertificate();
const caBundle = Buffer.from(certificate.cert).toString('base64');

/** A server that answers /healthz with this status. */
async function serverOf(status: number): Promise<number> {
  const server = createServer(certificate, (_, response) => void response.writeHead(status).end());
  onTestFinished(() => server.close().closeAllConnections());
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const webhook = (name: string, clientConfig: object) => ({
  name,
  clientConfig: { caBundle, ...clientConfig },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Fail',
});

async function rig(authorize: Authorize = () => true) {
  const sandbox = await sandboxForTest({ authorize });
  const client = createKubeClient(await sandboxCluster(sandbox)(), { userAgent: 'test' });
  onTestFinished(async () => client.close());
  const put = async (
    name: string,
    webhooks: readonly object[],
    metadata = writtenBy({ generation: 1, name: 'x' }, 'ns'),
  ) =>
    sandbox.apply(
      JSON.parse(
        JSON.stringify({
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name, ...metadata },
          webhooks,
        }),
      ),
    );
  /** Defines crontabs of a group that are stored in the first of these versions, with a converter at this place. */
  const define = async (group: string, versions: readonly string[], clientConfig: object, owner = 'ns/a') => {
    const definition = Object(cronTabDefinition(versions, group));
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: { caBundle, ...clientConfig }, conversionReviewVersions: ['v1'] },
    };
    const annotations = owner === '' ? {} : { [CONVERTER_OWNER]: owner };
    await sandbox.apply({
      ...definition,
      metadata: { ...definition.metadata, annotations },
      spec: { ...definition.spec, conversion },
    });
  };
  const conversionOf = async (group: string): Promise<object> => {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crontabs.${group}`;
    const { metadata, spec } = Object(await client.request({ method: 'GET', path }, io.signal));
    return { strategy: spec.conversion.strategy, owner: metadata.annotations?.[CONVERTER_OWNER] };
  };
  let printed = '';
  const io = { client, stdout: (text: string) => void (printed += text), signal: new AbortController().signal };
  const take = (): string => {
    const text = printed;
    printed = '';
    return text;
  };
  return { sandbox, put, define, conversionOf, io, take };
}

describe('hooklet webhooks list', () => {
  it('says of each webhook whether anybody answers it', async () => {
    const { sandbox, put, io, take } = await rig();
    const [good, bad] = [await serverOf(200), await serverOf(500)];
    const service = (name: string) => ({ service: { namespace: 'default', name, path: '/hooks/x' } });
    await sandbox.apply({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'here-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'here' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
    });
    await put('a-hooks', [
      webhook('a.example.com', { url: `https://127.0.0.1:${good}/hooks/a` }),
      webhook('b.example.com', { url: `https://127.0.0.1:${bad}/hooks/b` }),
      webhook('c.example.com', service('here')),
      webhook('d.example.com', service('gone')),
    ]);
    await put('others', [webhook('e.example.com', service('gone'))], { labels: {}, annotations: {} });

    expect(await listWebhooks(io)).toBe(1);

    const lines = take().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['CONFIGURATION', 'WEBHOOK', 'FAILURE', 'HOOKLET', 'PLACE', 'ANSWERS'],
      ['validating/a-hooks', 'a.example.com', 'Fail', 'ns', `https://127.0.0.1:${good}/hooks/a`, 'yes'],
      ['validating/a-hooks', 'b.example.com', 'Fail', 'ns', `https://127.0.0.1:${bad}/hooks/b`, 'no: status 500'],
      ['validating/a-hooks', 'c.example.com', 'Fail', 'ns', 'Service default/here', 'yes'],
      ['validating/a-hooks', 'd.example.com', 'Fail', 'ns', 'Service default/gone', 'no: no replica is ready'],
      [''],
      ['2 of them nobody answers: start hooklet, or take them back with hooklet webhooks remove'],
      [''],
    ]);
  });

  it('says of each converter whose it is, and whether anybody answers it', async () => {
    const { define, io, take } = await rig();
    const [good, bad] = [await serverOf(405), await serverOf(404)];
    const versions = ['v1', 'v2'];
    await define('a.example.com', versions, { url: `https://127.0.0.1:${good}/crontabs.a.example.com` });
    await define('b.example.com', versions, { url: `https://127.0.0.1:${bad}/crontabs.b.example.com` }, 'other/b');
    const service = { namespace: 'default', name: 'gone', path: '/crontabs.c.example.com' };
    await define('c.example.com', versions, { service });
    await define('d.example.com', versions, { service }, '');
    await define('e.example.com', versions, { service: { ...service, path: '/convert' } });

    expect(await listWebhooks(io)).toBe(1);

    const lines = take().split('\n');
    expect(lines.slice(1, 4).map((line) => line.split(/ {2,}/).filter((cell) => cell !== '-'))).toEqual([
      ['converter/crontabs.a.example.com', 'ns/a', `https://127.0.0.1:${good}/crontabs.a.example.com`, 'yes'],
      [
        'converter/crontabs.b.example.com',
        'other/b',
        `https://127.0.0.1:${bad}/crontabs.b.example.com`,
        'no: no hook there converts it',
      ],
      ['converter/crontabs.c.example.com', 'ns/a', 'Service default/gone', 'no: no replica is ready'],
    ]);
    expect(lines.slice(4)).toEqual([
      '',
      '1 of them nobody answers: start hooklet, or take them back with hooklet webhooks remove',
      '1 of them no hook answers: bring the hook back, or repair it, or take them back with hooklet webhooks remove',
      '',
    ]);
  });

  it('says which webhook no hook answers, and which the API server refuses and why', async () => {
    const { put, io, take } = await rig();
    const gone = await serverOf(404);
    const refusals = refusalsText([{ webhook: 'b.example.com', hook: 'b.sh', reason: 'rules: so\nand so' }]);
    const metadata = writtenBy({ generation: 1, name: 'x' }, 'ns', refusals);
    await put('a-hooks', [webhook('a.example.com', { url: `https://127.0.0.1:${gone}/hooks/a` })], metadata);
    await put('b-hooks', [], metadata);

    expect(await listWebhooks(io)).toBe(1);

    const lines = take().split('\n');
    const refused = ['b.example.com', '-', 'ns', '-', 'no: the API server refuses what b.sh wants: rules: so'];
    expect(lines.slice(1).map((line) => line.split(/ {2,}/))).toEqual([
      [
        'validating/a-hooks',
        'a.example.com',
        'Fail',
        'ns',
        `https://127.0.0.1:${gone}/hooks/a`,
        'no: no hook there has it, or it is broken',
      ],
      ['validating/a-hooks', ...refused],
      ['validating/b-hooks', ...refused],
      [''],
      ['1 of them no hook answers: bring the hook back, or repair it, or take them back with hooklet webhooks remove'],
      ['2 of them the API server refuses: repair the hook, after which it is tried again'],
      [''],
    ]);
  });

  it('says that there are none', async () => {
    const { io, take } = await rig();

    expect(await listWebhooks(io)).toBe(0);
    expect(take()).toBe('no webhooks of hooklet\n');
  });
});

describe('hooklet webhooks remove', () => {
  it('shows what it would remove, removes it only with --yes, and leaves what is of others', async () => {
    const { put, io, take } = await rig();
    const it = webhook('a.example.com', { url: 'https://127.0.0.1:1/hooks/a' });
    for (const name of ['a-hooks', 'b-hooks']) await put(name, [it]);
    await put('others', [it], { labels: { 'app.kubernetes.io/managed-by': 'hooklet' }, annotations: {} });

    expect(await removeWebhooks({ name: 'a-hooks', isSure: false, withConverters: false }, io)).toBe(0);
    expect(take()).toBe(
      'would remove ValidatingWebhookConfiguration a-hooks with 1 webhook(s)\nnothing is changed; add --yes to remove them\n',
    );
    await removeWebhooks({ name: 'a-hooks', isSure: true, withConverters: false }, io);
    expect(take()).toContain('removed ValidatingWebhookConfiguration a-hooks with 1 webhook(s)\n');
    await removeWebhooks({ name: undefined, isSure: true, withConverters: false }, io);
    expect(take()).toMatch(/^removed ValidatingWebhookConfiguration b-hooks with 1 webhook\(s\)\na hooklet that runs/);
    expect(await removeWebhooks({ name: undefined, isSure: true, withConverters: false }, io)).toBe(0);
    expect(take()).toBe('no webhooks of hooklet\n');
  });
});

describe('hooklet webhooks remove, of converters', () => {
  const url = (group: string) => ({ url: `https://127.0.0.1:1/crontabs.${group}` });

  it('removes one that no object needs', async () => {
    const { define, conversionOf, io, take } = await rig();
    await define('a.example.com', ['v1'], url('a.example.com'));

    await removeWebhooks({ name: undefined, isSure: false, withConverters: false }, io);
    expect(take()).toMatch(/^would remove the converter of crontabs\.a\.example\.com\nnothing is changed/);
    expect(await conversionOf('a.example.com')).toEqual({ strategy: 'Webhook', owner: 'ns/a' });
    await removeWebhooks({ name: undefined, isSure: true, withConverters: false }, io);
    expect(take()).toMatch(/^removed the converter of crontabs\.a\.example\.com\na hooklet that runs/);
    expect(await conversionOf('a.example.com')).toEqual({ strategy: 'None', owner: undefined });
  });

  it('leaves one that objects need and says what they would lose, unless it is asked for', async () => {
    const { define, conversionOf, io, take } = await rig();
    const [a, b] = ['a.example.com', 'b.example.com'];
    for (const group of [a, b]) await define(group, ['v1', 'v2'], url(group));

    await removeWebhooks({ name: undefined, isSure: true, withConverters: false }, io);
    expect(take()).toContain(
      'left the converter of crontabs.a.example.com: objects may be stored in v1 and are served in v1, v2: without a converter only their apiVersion changes',
    );
    expect(await conversionOf(a)).toEqual({ strategy: 'Webhook', owner: 'ns/a' });
    await removeWebhooks({ name: `crontabs.${a}`, isSure: true, withConverters: true }, io);
    expect(take()).toContain('removed the converter of crontabs.a.example.com: objects may be stored in v1');
    expect(await conversionOf(a)).toEqual({ strategy: 'None', owner: undefined });
    expect(await conversionOf(b)).toEqual({ strategy: 'Webhook', owner: 'ns/a' });
  });
});

describe('without the right to list definitions', () => {
  it('both commands say that converters are not known', async () => {
    const { io, take } = await rig(({ resource }) => resource !== 'customresourcedefinitions');

    expect(await listWebhooks(io)).toBe(0);
    expect(take()).toMatch(/^converters are not known: [^]*\nno webhooks of hooklet\n$/);
    await removeWebhooks({ name: undefined, isSure: true, withConverters: false }, io);
    expect(take()).toMatch(/^converters are not known/);
  });
});
