import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../../src/metrics.ts';
import type { Certificates } from '../../../src/server/certificates/certificates.ts';
import { SYSTEM_CLOCK } from '../../../src/server/certificates/clock.ts';
import { certificateFiles } from '../../../src/server/certificates/files.ts';
import { givenCertificates, type GivenSource } from '../../../src/server/certificates/given.ts';
import { givenSecret } from '../../../src/server/certificates/given-secret.ts';
import { makeAuthority, makeLeaf } from '../../../src/server/certificates/self-made/x509.ts';
import type { Certificate } from '../../../src/server/tls-server.ts';
import { certificateSandbox } from '../../support/certificates/rig.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { metricValues } from '../../support/metric-values.ts';
import { until } from '../../support/operator-rig.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const NOW = Date.now();
const LIFETIME = { notBeforeMs: NOW - 90 * 60_000, notAfterMs: NOW + 3_600_000 };
const authority = makeAuthority('test', LIFETIME);
const CA = String(authority.cert);
const made = (by: Certificate = authority): { readonly cert: string; readonly key: string } => {
  const { cert, key } = makeLeaf(by, ['hooks.default.svc'], LIFETIME);
  return { cert: String(cert), key: String(key) };
};

function open(source: GivenSource, bundles: { texts: readonly string[] } = { texts: [] }) {
  const metrics = createMetrics('');
  const log = recordingLogger();
  const events: { reason: string; message: string }[] = [];
  const certificates = givenCertificates(source, {
    clock: SYSTEM_CLOCK,
    settleMs: 0,
    registered: { bundles: () => bundles.texts, async *changes() {} },
    metrics,
    log,
    events: { record: (event) => void events.push(event) },
  });
  const end = new AbortController();
  const running = certificates.run(end.signal);
  onTestFinished(async () => {
    end.abort();
    await running;
  });
  const rotations = (): readonly string[] => metricValues(metrics, 'webhook_certificate_rotation_total');
  return { certificates, log, events, rotations };
}

function folder() {
  const made = temporaryFolder();
  onTestFinished(() => made[Symbol.dispose]());
  const path = (name: string): string => join(made.path, name);
  const files = { cert: path('tls.crt'), key: path('tls.key'), ca: path('ca.crt') };
  const write = ({ cert, key }: Certificate, ca: string | false = CA): void => {
    writeFileSync(files.key, key);
    writeFileSync(files.cert, cert);
    if (ca !== false) writeFileSync(files.ca, ca);
  };
  return { path, files, write };
}

const served = async (certificates: Certificates, cert: string): Promise<void> =>
  until(() => expect(certificates.serving?.cert).toBe(cert), 5000);

describe('certificates in files', () => {
  it('are read again after a change, without a poll', async () => {
    const { files, write } = folder();
    const [first, second] = [made(), made()];
    write(first);
    const { certificates, rotations } = open(certificateFiles(files, 60_000));
    await served(certificates, first.cert);
    expect([certificates.caBundle, certificates.problem]).toEqual([CA, undefined]);

    write(second);
    await served(certificates, second.cert);

    expect(rotations()).toContain('{result="succeeded"} 2');
  });

  it('of a mounted Secret follow the link that is replaced', async () => {
    const { path, files } = folder();
    const [first, second] = [made(), made()];
    const version = (name: string, { cert, key }: Certificate): void => {
      mkdirSync(path(name));
      for (const [file, text] of [
        ['tls.crt', cert],
        ['tls.key', key],
        ['ca.crt', CA],
      ] as const) {
        writeFileSync(join(path(name), file), text);
      }
      symlinkSync(name, path('..data_tmp'));
      renameSync(path('..data_tmp'), path('..data'));
    };
    version('..1', first);
    for (const file of ['tls.crt', 'tls.key', 'ca.crt']) symlinkSync(join('..data', file), path(file));
    const { certificates } = open(certificateFiles(files, 60_000));
    await served(certificates, first.cert);

    version('..2', second);
    await served(certificates, second.cert);
  });

  it('are found by the poll where no folder tells of changes', async () => {
    const { path, files } = folder();
    const elsewhere = folder();
    const [first, second] = [made(), made()];
    elsewhere.write(first);
    for (const name of ['tls.crt', 'tls.key', 'ca.crt']) symlinkSync(elsewhere.path(name), path(name));
    const { certificates } = open(certificateFiles(files, 30));
    await served(certificates, first.cert);

    elsewhere.write(second);
    await served(certificates, second.cert);
  });

  it('that are half written or do not fit change nothing, and are reported once', async () => {
    const { files, write } = folder();
    const first = made();
    write(first);
    const { certificates, log, events, rotations } = open(certificateFiles(files, 20));
    await served(certificates, first.cert);
    const warnings = (): readonly unknown[] =>
      log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['problem']);

    writeFileSync(files.cert, first.cert.slice(0, 300));
    await until(() => expect(warnings()).toEqual(['the certificate has no certificate']));
    writeFileSync(files.cert, made().cert);
    await until(() => expect(warnings().at(-1)).toBe('the certificate has a key that is not of its certificate'));
    writeFileSync(files.key, 'nonsense');
    await until(() =>
      expect(warnings().at(-1)).toBe('the certificate has no private key that can be read without a password'),
    );
    writeFileSync(files.key, 'x'.repeat(300_000));
    await until(() => expect(String(warnings().at(-1))).toContain('has more than 262144 bytes'));

    expect(certificates.serving?.cert).toBe(first.cert);
    expect(certificates.problem).toBeUndefined();
    expect(warnings()).toHaveLength(4);
    expect(events.filter(({ reason }) => reason === 'WebhookCertificateFailed')).toHaveLength(4);
    expect(rotations()).toContain('{result="failed"} 4');
  });

  it('that come after the start are taken then', async () => {
    const { files, write } = folder();
    const { certificates } = open(certificateFiles(files, 20));
    await until(() => expect(certificates.problem).toContain('ENOENT'));

    const pair = made();
    write(pair);
    await served(certificates, pair.cert);
  });

  it('without a file of the authority leave the field alone', async () => {
    const { files, write } = folder();
    const pair = made();
    write(pair, false);
    const bundles = { texts: [''] };
    const { certificates } = open(certificateFiles(files, 20), bundles);
    await served(certificates, pair.cert);

    expect([certificates.caBundle, certificates.problem]).toEqual([undefined, undefined]);
  });

  it('of another authority are served once that one is registered', async () => {
    const { files, write } = folder();
    const other = makeAuthority('test', LIFETIME);
    const [first, second] = [made(), made(other)];
    write(first);
    const bundles = { texts: [CA] };
    const { certificates } = open(certificateFiles(files, 20), bundles);
    await served(certificates, first.cert);

    write(second, String(other.cert));
    await until(() => expect(certificates.caBundle).toBe(other.cert));
    expect(certificates.serving?.cert).toBe(first.cert);
    bundles.texts = [`${CA}${String(other.cert)}`];
    await served(certificates, second.cert);
  });
});

describe('certificates in a Secret of somebody else', () => {
  async function secretRig() {
    const { sandbox, connect } = await certificateSandbox();
    const connection = await connect();
    const place = { namespace: 'default', name: 'hooks-tls' };
    const encoded = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
      Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
    const write = async ({ cert, key }: Certificate, ca: string): Promise<void> => {
      const data = encoded({ 'tls.crt': String(cert), 'tls.key': String(key), 'ca.crt': ca });
      await sandbox.apply({ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: place, data });
    };
    return { sandbox, write, start: () => open(givenSecret({ ...connection, place })) };
  }

  it('are followed by a watch of that Secret alone', async () => {
    const { sandbox, write, start } = await secretRig();
    const { certificates, log } = start();
    await until(() => expect(certificates.problem).toContain('Secret default/hooks-tls: there is no such Secret'));
    const [first, second] = [made(), made()];

    await write(first, CA);
    await served(certificates, first.cert);
    await write(second, CA);
    await served(certificates, second.cert);

    expect([certificates.caBundle, certificates.problem]).toEqual([CA, undefined]);
    expect(log.lines.filter(({ message }) => message.startsWith('took'))).toHaveLength(2);
    const asked = sandbox.requests.filter(({ path }) => path.includes('/secrets'));
    expect(asked.every(({ path, query }) => `${path}${String(query)}`.includes('hooks-tls'))).toBe(true);
  });

  it('without an authority leave the field alone', async () => {
    const { write, start } = await secretRig();
    const { certificates } = start();
    const pair = made();

    await write(pair, '');
    await served(certificates, pair.cert);

    expect(certificates.caBundle).toBeUndefined();
  });

  it('that are deleted stay until there are others', async () => {
    const { sandbox, write, start } = await secretRig();
    const { certificates, events } = start();
    const [first, second] = [made(), made()];
    await write(first, CA);
    await served(certificates, first.cert);

    await sandbox.call('DELETE', '/api/v1/namespaces/default/secrets/hooks-tls');
    await until(() => expect(events.at(-1)?.message).toContain('there is no such Secret'));
    expect([certificates.serving?.cert, certificates.problem]).toEqual([first.cert, undefined]);
    await write(second, CA);
    await served(certificates, second.cert);
  });
});
