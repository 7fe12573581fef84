import { expect, it, onTestFinished } from 'vitest';
import { openCertificates } from '../../../src/server/certificates/open-certificates.ts';
import { certificateSandbox, keepRegistered } from '../../support/certificates/rig.ts';
import { until } from '../../support/operator-rig.ts';

const LIFE_MS = 6000;

it('an authority that lives for 6 s is replaced once the next one is registered, before its last sixth', async () => {
  const { connect } = await certificateSandbox();
  const connection = await connect();
  const certificates = openCertificates({
    ...connection,
    source: { type: 'selfMade', namespace: 'default', name: 'hooklet', authorityMs: LIFE_MS, leafMs: LIFE_MS },
    names: { services: [], hosts: ['hooks.default.svc'] },
    events: connection.recorder,
  });
  const end = new AbortController();
  const parts = [
    certificates.run(end.signal),
    keepRegistered(connection, certificates, { names: ['hooks'], now: Date.now }, end.signal),
  ];
  onTestFinished(async () => {
    end.abort();
    await Promise.all(parts);
  });
  await until(() => expect(certificates.problem).toBeUndefined());
  const first = certificates.serving?.cert;
  await until(() => expect(certificates.serving?.cert).not.toBe(first));

  const steps = connection.log.lines.flatMap(({ fields: { step, why } }) => (step === 'promote' ? [why] : []));
  expect(steps).toEqual(['the next certificate authority is registered everywhere']);
});
