import { createServer } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { listWebhooks, removeWebhooks } from '../../src/cli/webhooks.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { writtenBy } from '../../src/sources/admission/registered.ts';
import { createCertificate } from '../support/certificate.ts';
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

async function rig() {
  const sandbox = await sandboxForTest();
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
  let printed = '';
  const io = { client, stdout: (text: string) => void (printed += text), signal: new AbortController().signal };
  const take = (): string => {
    const text = printed;
    printed = '';
    return text;
  };
  return { sandbox, put, io, take };
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
      ['CONFIGURATION', 'WEBHOOK', 'FAILURE', 'PLACE', 'ANSWERS'],
      ['validating/a-hooks', 'a.example.com', 'Fail', `https://127.0.0.1:${good}/hooks/a`, 'yes'],
      ['validating/a-hooks', 'b.example.com', 'Fail', `https://127.0.0.1:${bad}/hooks/b`, 'no: status 500'],
      ['validating/a-hooks', 'c.example.com', 'Fail', 'Service default/here', 'yes'],
      ['validating/a-hooks', 'd.example.com', 'Fail', 'Service default/gone', 'no: no replica is ready'],
      [''],
      ['2 of them nobody answers: start hooklet, or take them back with hooklet webhooks remove'],
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

    expect(await removeWebhooks('a-hooks', false, io)).toBe(0);
    expect(take()).toBe(
      'would remove ValidatingWebhookConfiguration a-hooks with 1 webhook(s)\nnothing is changed; add --yes to remove them\n',
    );
    await removeWebhooks('a-hooks', true, io);
    expect(take()).toContain('removed ValidatingWebhookConfiguration a-hooks with 1 webhook(s)\n');
    await removeWebhooks(undefined, true, io);
    expect(take()).toMatch(/^removed ValidatingWebhookConfiguration b-hooks with 1 webhook\(s\)\na hooklet that runs/);
    expect(await removeWebhooks(undefined, true, io)).toBe(0);
    expect(take()).toBe('no webhooks of hooklet\n');
  });
});
