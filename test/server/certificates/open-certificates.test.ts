import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { CertificateSource } from '../../../src/server/certificates/certificate-source.ts';
import { namesOf } from '../../../src/server/certificates/names.ts';
import { openCertificates } from '../../../src/server/certificates/open-certificates.ts';
import { certificateSandbox } from '../../support/certificates/rig.ts';
import { CERT, first, pairBy } from '../../support/certificates/two-authorities.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { until } from '../../support/operator-rig.ts';

const HOUR = 3_600_000;

async function open(source: CertificateSource, secret?: { readonly cert: string; readonly key: string }) {
  const { sandbox, connect } = await certificateSandbox();
  if (secret !== undefined) {
    const stringData = { 'tls.crt': secret.cert, 'tls.key': secret.key, 'ca.crt': CERT.first };
    const metadata = { namespace: 'default', name: 'hooks-tls' };
    await sandbox.apply({ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, stringData });
  }
  const connection = await connect();
  const names = { services: [{ namespace: 'default', name: 'hooks' }], hosts: ['10.0.0.7'] };
  const certificates = openCertificates({ ...connection, source, names, events: connection.recorder });
  const end = new AbortController();
  const running = certificates.run(end.signal);
  onTestFinished(async () => {
    end.abort();
    await running;
  });
  await until(() => expect(certificates.problem).toBeUndefined());
  return { sandbox, certificates };
}

it('opens what hooklet makes itself, under the name of the Secret, and no leaf outlives its authority', async () => {
  const source = {
    type: 'selfMade',
    namespace: 'default',
    name: 'mine-certs',
    authorityMs: HOUR,
    leafMs: 9 * HOUR,
  } as const;
  const { sandbox, certificates } = await open(source);

  const leaf = new X509Certificate(certificates.serving?.cert ?? '');
  expect(namesOf(leaf)).toEqual([
    'hooks.default.svc',
    'hooks.default.svc.cluster.local',
    'hooks.default',
    'hooks',
    '10.0.0.7',
  ]);
  expect(leaf.validToDate).toEqual(new X509Certificate(certificates.caBundle ?? '').validToDate);
  expect((await sandbox.call('GET', '/api/v1/namespaces/default/secrets/mine-certs')).code).toBe(200);
});

const given = (): { readonly cert: string; readonly key: string } => {
  const { cert, key } = pairBy(first).certificate;
  return { cert: String(cert), key: String(key) };
};

it('opens files', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const pair = given();
  const files = { cert: join(folder.path, 'a'), key: join(folder.path, 'b'), ca: join(folder.path, 'c') };
  for (const [path, text] of [
    [files.cert, pair.cert],
    [files.key, pair.key],
    [files.ca, CERT.first],
  ] as const) {
    writeFileSync(path, text);
  }
  const { certificates } = await open({ type: 'files', ...files });

  expect([certificates.serving, certificates.caBundle]).toEqual([pair, CERT.first]);
});

it('opens a Secret of somebody else', async () => {
  const pair = given();
  const { certificates } = await open({ type: 'secret', namespace: 'default', name: 'hooks-tls' }, pair);

  expect([certificates.serving, certificates.caBundle]).toEqual([pair, CERT.first]);
});
