import { describe, expect, it } from 'vitest';
import { dnsName, selfSigned } from '../support/certificate.ts';
import { configuration, map, MAPS, webhookRig } from '../support/webhook-rig.ts';
import { allowing, type WebhookServer } from '../support/webhook-server.ts';
import type { JsonObject } from '../../src/json.ts';
import { textAt } from '../../src/json-fields.ts';
import { isJsonObject } from '../../src/json.ts';
import type { Sandbox } from '../../src/sandbox.ts';

const VALIDATING = 'ValidatingWebhookConfiguration';

/** The message of a create of a ConfigMap; empty if it succeeds. */
async function created(sandbox: Sandbox): Promise<string> {
  const { code, body } = await sandbox.call('POST', MAPS, map('a'));
  return code === 201 ? '' : textAt(isJsonObject(body) ? body : {}, 'message');
}

describe('a webhook of a service', () => {
  const service = { name: 'hooks', namespace: 'tools', path: '/check', port: 8443 };
  const clientConfig = ({ caBundle }: WebhookServer): JsonObject => ({ service, caBundle });

  it('is called where the service is resolved to, by the name of the service', async () => {
    const asked: unknown[] = [];
    const found: { url?: string } = {};
    const resolveService = (...parts: readonly unknown[]): string | undefined => {
      asked.push(parts);
      return found.url;
    };
    const { sandbox, server } = await webhookRig(
      { resolveService },
      selfSigned('service', [dnsName('hooks.tools.svc')]),
    );
    found.url = server.url;
    await sandbox.apply(configuration(VALIDATING, clientConfig(server)));

    expect(await created(sandbox)).toBe('');
    expect(asked).toEqual([['tools', 'hooks', 8443]]);
    expect(server.seen).toMatchObject([{ target: '/check?timeout=10s', headers: { host: 'hooks.tools.svc:8443' } }]);
  });

  it('must have the name of the service in its certificate', async () => {
    const found: { url?: string } = {};
    const { sandbox, server } = await webhookRig({ resolveService: () => found.url });
    found.url = server.url;
    await sandbox.apply(configuration(VALIDATING, clientConfig(server)));

    expect(await created(sandbox)).toContain(
      'Post "https://hooks.tools.svc:8443/check?timeout=10s": tls: failed to verify certificate: x509: certificate is valid for localhost, not hooks.tools.svc',
    );
  });

  it('that is not resolved is refused at the address of the service', async () => {
    const { sandbox, server } = await webhookRig();
    await sandbox.apply(configuration(VALIDATING, clientConfig(server)));
    const missing = await created(sandbox);
    await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tools' } });
    const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'hooks', namespace: 'tools' } };
    await sandbox.apply({ ...object, spec: { clusterIP: '10.0.0.7', ports: [{ port: 443 }] } });
    const otherPort = await created(sandbox);
    await sandbox.apply({ ...object, spec: { clusterIP: '10.0.0.7', ports: [{ port: 8443 }] } });

    expect(missing).toContain('service "hooks" not found');
    expect(otherPort).toContain('no service port 8443 found for service "hooks"');
    expect(await created(sandbox)).toContain('dial tcp 10.0.0.7:8443: connect: connection refused');
  });
});

describe('the caller of webhooks', () => {
  it('uses a connection again', async () => {
    const { sandbox, server } = await webhookRig();
    const ports = new Set<number | undefined>();
    server.on('/hook', (review, response) => {
      ports.add(response.socket?.remotePort);
      return allowing()(review, response);
    });
    await sandbox.apply(configuration(VALIDATING, server.client('/hook')));

    for (const name of ['a', 'b', 'c']) await sandbox.apply(map(name));

    expect(server.seen).toHaveLength(3);
    expect(ports.size).toBe(1);
  });

  it('asks again when it is told to come later', async () => {
    const { sandbox, server } = await webhookRig();
    server.on('/hook', (review, response) => {
      if (server.seen.length > 2) return allowing()(review, response);
      response.statusCode = 429;
      response.setHeader('retry-after', '0');
      return 'later';
    });
    await sandbox.apply(configuration(VALIDATING, server.client('/hook')));

    expect(await created(sandbox)).toBe('');
    expect(server.seen).toHaveLength(3);
  });

  it('reads at most 16777216 bytes of an answer', async () => {
    const { sandbox, server } = await webhookRig();
    server.on('/hook', () => `"${'x'.repeat(16_777_216)}"`);
    await sandbox.apply(configuration(VALIDATING, server.client('/hook')));

    expect(await created(sandbox)).toContain('the response is larger than 16777216 bytes');
  });

  it('takes no answer of a server without TLS', async () => {
    const { sandbox } = await webhookRig();
    await sandbox.apply(configuration(VALIDATING, { url: sandbox.url.replace('http:', 'https:') }));

    expect(await created(sandbox)).toContain('http: server gave HTTP response to HTTPS client');
  });

  it('finds no host of a name that does not exist', async () => {
    const { sandbox } = await webhookRig();
    await sandbox.apply(configuration(VALIDATING, { url: 'https://nowhere.invalid/x' }));

    expect(await created(sandbox)).toContain('dial tcp: lookup nowhere.invalid: no such host');
  });
});
