import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { asJsonObject } from '../../../src/kube/object.ts';
import type { Certificates } from '../../../src/server/certificates/certificates.ts';
import { selfMadeCertificates } from '../../../src/server/certificates/self-made/self-made.ts';
import { createCertificate, type CertificateOptions } from '../../support/certificate.ts';
import { certificateSandbox, configuration, keepRegistered, type Connection } from '../../support/certificates/rig.ts';
import { metricValues } from '../../support/metric-values.ts';
import { until } from '../../support/operator-rig.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PLACE = { namespace: 'default', name: 'hooklet-webhook-certs' };
const PATH = `/api/v1/namespaces/default/secrets/${PLACE.name}`;
const ROTATIONS = 'webhook_certificate_rotation_total';

interface Options {
  readonly now?: () => number;
  readonly settleMs?: number;
  /** The time of the API server. */
  readonly serverTime?: () => number;
  /** Whether it keeps the bundle of the object `hooks`; default true. */
  readonly registers?: boolean;
}

function open(connection: Connection, options: Options = {}): Certificates {
  const { now = Date.now, settleMs = 50, serverTime, registers = true } = options;
  const certificates = selfMadeCertificates({
    ...connection,
    events: connection.recorder,
    place: PLACE,
    names: ['hooks.default.svc'],
    lifetimes: { authorityMs: 730 * DAY, leafMs: 90 * DAY, slackMs: HOUR },
    settleMs,
    clock: { now, monotonicMs: () => performance.now() },
    tickMs: 20,
    ...(serverTime && { serverTime }),
  });
  const end = new AbortController();
  const parts = [certificates.run(end.signal)];
  if (registers) parts.push(keepRegistered(connection, certificates, { names: ['hooks'], now }, end.signal));
  onTestFinished(async () => {
    end.abort();
    await Promise.all(parts);
  });
  return certificates;
}

const ready = async (certificates: Certificates): Promise<void> =>
  until(() => expect(certificates.problem).toBeUndefined());
const certOf = (certificates: Certificates): string => String(certificates.serving?.cert);

async function secretOf(sandbox: Sandbox) {
  const { body } = await sandbox.call('GET', PATH);
  return asJsonObject(body);
}

async function patchSecret(sandbox: Sandbox, data: Readonly<Record<string, string | null>>): Promise<void> {
  await sandbox.call('PATCH', PATH, { data }, 'application/merge-patch+json');
}

describe('certificates that hooklet makes itself', () => {
  it('3 replicas that start at once serve the one certificate of which the Secret was made', async () => {
    const { sandbox, connect } = await certificateSandbox();
    const connections = await Promise.all([connect(), connect(), connect()]);
    const replicas = connections.map((connection) => open(connection));
    await Promise.all(replicas.map(ready));

    expect(new Set(replicas.map(certOf)).size).toBe(1);
    expect(new Set(replicas.map(({ caBundle }) => caBundle)).size).toBe(1);
    expect(await secretOf(sandbox)).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'hooklet' },
        annotations: { 'hooklet.dev/phase': 'steady' },
      },
    });
    const results = connections.flatMap(({ metrics }) => metricValues(metrics, ROTATIONS));
    expect(results.filter((line) => line.includes('succeeded'))).toEqual(['{result="succeeded"} 1']);
  });

  it.each<[string, CertificateOptions]>([
    ['whose key is of RSA', { keys: generateKeyPairSync('rsa', { modulusLength: 2048 }) }],
    ['whose key is of Ed25519', { keys: generateKeyPairSync('ed25519') }],
    ['on a curve that API servers do not know', { keys: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }) }],
    ['that names its key in another way', { hasKeyId: true }],
  ])('are by an authority of their own, made in 1 write, where the Secret has one %s', async (_, authority) => {
    const { sandbox, connect } = await certificateSandbox();
    const { cert, key } = createCertificate(authority);
    await sandbox.call('POST', '/api/v1/namespaces/default/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: PLACE.name },
      stringData: { 'ca.crt': cert, 'ca.key': key },
    });
    const connection = await connect();

    const certificates = open(connection);
    await ready(certificates);

    const leaf = new X509Certificate(certOf(certificates));
    expect(leaf.checkIssued(new X509Certificate(cert))).toBe(false);
    expect(metricValues(connection.metrics, ROTATIONS)).toContain('{result="succeeded"} 1');
  });

  it.each([
    ['deleted', async (sandbox: Sandbox) => void (await sandbox.call('DELETE', PATH))],
    [
      'emptied',
      async (sandbox: Sandbox) => patchSecret(sandbox, { 'ca.crt': '', 'ca.key': '', 'tls.crt': '', 'tls.key': '' }),
    ],
    [
      'cut',
      async (sandbox: Sandbox) => patchSecret(sandbox, { 'ca.crt': 'LS0tLS1CRUdJTiBD', 'tls.key': 'LS0tLS1CRUdJTiB' }),
    ],
    [
      'overwritten',
      async (sandbox: Sandbox) => patchSecret(sandbox, { 'ca.crt': null, 'tls.crt': 'eA==', other: 'eA==' }),
    ],
    [
      'huge',
      async (sandbox: Sandbox) =>
        patchSecret(sandbox, { 'ca.crt': 'QUFB'.repeat(170_000), 'ca.key': null, 'tls.crt': 'eA==' }),
    ],
  ])('a Secret that was %s is made anew, and 2 replicas serve what is trusted meanwhile', async (_, spoil) => {
    const { sandbox, connect } = await certificateSandbox();
    const [first, second] = [open(await connect(), { settleMs: 300 }), open(await connect(), { settleMs: 300 })];
    await Promise.all([ready(first), ready(second)]);
    const before = certOf(first);
    const bundle = first.caBundle ?? '';

    await spoil(sandbox);
    await until(() => expect(first.caBundle).not.toBe(bundle));
    const during = [certOf(first), first.problem];
    await until(() => expect([certOf(first), certOf(second)].includes(before)).toBe(false));
    await Promise.all([ready(first), ready(second)]);

    expect(during).toEqual([before, undefined]);
    expect(certOf(first)).toBe(certOf(second));
    expect(first.caBundle).toContain(bundle);
    const { data } = await secretOf(sandbox);
    expect(Object.keys(asJsonObject(data)).toSorted()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
  });

  it('a replica is not ready while a bundle that somebody emptied is not what it serves', async () => {
    const { sandbox, connect } = await certificateSandbox();
    const alone = open(await connect(), { registers: false });
    await ready(alone);
    const apply = async (bundle = ''): Promise<void> => void (await sandbox.apply(configuration('hooks', bundle)));

    await apply();
    await until(() =>
      expect(alone.problem).toBe('the caBundle of 1 of 1 registered objects does not trust the certificate'),
    );
    await apply(alone.caBundle);
    await ready(alone);

    await apply();
    await until(() => expect(alone.problem).toBeDefined());
    open(await connect());
    await ready(alone);
  });

  it('without the right to make the Secret it says which rules it needs, once, and goes on when it has them', async () => {
    const { sandbox, connect } = await certificateSandbox();
    const path = '/api/v1/namespaces/default/secrets';
    const stop = sandbox.faults.add({ type: 'status', code: 403, method: 'POST', path, message: 'by the test' });
    const connection = await connect();
    const certificates = open(connection, { registers: false });

    await until(() => expect(connection.events).toHaveLength(1));
    expect(certificates.problem).toContain('there is no certificate to serve: ');
    expect(connection.events[0]).toMatchObject({ type: 'Warning', reason: 'WebhookCertificateFailed' });
    const [line] = connection.log.lines.filter(({ level }) => level === 'error');
    expect(String(line?.fields['advice'])).toContain('resources: [secrets], verbs: [create]');
    stop();
    await ready(certificates);

    expect(connection.events.map(({ reason }) => reason)).toEqual([
      'WebhookCertificateFailed',
      'WebhookCertificateRotated',
    ]);
    expect(connection.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('with a clock 13 months ahead it makes certificates by the time of the API server, and says so', async () => {
    const { connect } = await certificateSandbox();
    const right = open(await connect());
    await ready(right);
    const before = certOf(right);
    const connection = await connect();
    const ahead = { ms: 0 };
    const replica = open(connection, { now: () => Date.now() + ahead.ms });
    await ready(replica);

    ahead.ms = 395 * DAY;
    await until(() =>
      expect(connection.log.lines.map(({ message }) => message)).toContain(
        'the clock differs from that of the API server',
      ),
    );
    await ready(replica);

    expect([certOf(replica), certOf(right)]).toEqual([before, before]);
    expect(right.problem).toBeUndefined();
  });

  it('a replica that cannot reach the API server serves what it has, and is not ready once that has expired', async () => {
    const { sandbox, connect } = await certificateSandbox();
    const ahead = { ms: 0 };
    const now = (): number => Date.now() + ahead.ms;
    const replica = open(await connect(), { now, serverTime: now });
    await ready(replica);
    const before = certOf(replica);
    const stop = sandbox.faults.add({ type: 'hangUp', method: 'GET' });
    sandbox.dropWatches();

    ahead.ms = 80 * DAY;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([certOf(replica), replica.problem]).toEqual([before, undefined]);
    ahead.ms = 91 * DAY;
    expect(replica.problem).toMatch(/^the certificate is valid from .* to /);
    stop();
    await ready(replica);

    expect(new X509Certificate(certOf(replica)).validToDate.getTime()).toBeGreaterThan(now() + 89 * DAY);
  });

  it('shows when the certificate and its authority expire', async () => {
    const { connect } = await certificateSandbox();
    const connection = await connect();
    const certificates = open(connection);
    await until(() =>
      expect(metricValues(connection.metrics, 'webhook_certificate_expiry_timestamp_seconds')).toHaveLength(2),
    );

    const leaf = new X509Certificate(certOf(certificates));
    const authority = new X509Certificate(certificates.caBundle ?? '');
    expect(metricValues(connection.metrics, 'webhook_certificate_expiry_timestamp_seconds')).toEqual([
      `{which="serving"} ${leaf.validToDate.getTime() / 1000}`,
      `{which="ca"} ${authority.validToDate.getTime() / 1000}`,
    ]);
  });
});
