import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { certificateSource, parseCertificateChoice } from '../../../src/server/certificates/certificate-source.ts';

describe('where the certificate comes from', () => {
  const files = { cert: import.meta.filename, key: '/none/tls.key', ca: '/none/ca.crt' };
  const missing = { ...files, cert: '/none/tls.crt' };
  const rest = { name: 'hooklet', authorityMs: 2, leafMs: 1 };
  const made = { ...rest, name: 'hooklet-webhook-certs' };

  it.each([
    ['', files, 'n', { type: 'files', ...files }],
    ['', missing, 'n', { type: 'selfMade', namespace: 'n', ...made }],
    ['files', missing, undefined, { type: 'files', ...missing }],
    ['self', files, 'n', { type: 'selfMade', namespace: 'n', ...made }],
    ['secret/tls', files, 'n', { type: 'secret', namespace: 'n', name: 'tls' }],
  ])('%j', async (choice, given, namespace, source) => {
    const options = { choice: parseCertificateChoice(choice), files: given, namespace, ...rest };

    expect(await certificateSource(options)).toEqual(source);
  });

  it('a Secret needs a namespace', async () => {
    const options = { choice: parseCertificateChoice(''), files: missing, namespace: undefined, ...rest };

    await expect(certificateSource(options)).rejects.toThrow(UsageError);
    await expect(certificateSource(options)).rejects.toThrow(
      'set POD_NAMESPACE, or put the certificate at /none/tls.crt',
    );
  });

  it.each(['Self', 'secret', 'secret/', 'secret/A', 'configmap/x'])('%j is refused', (value) => {
    expect(() => parseCertificateChoice(value)).toThrow('files, secret/<name> or self');
  });
});
