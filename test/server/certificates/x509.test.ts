import { createPublicKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeAuthority, makeLeaf } from '../../../src/server/certificates/self-made/x509.ts';
import { readPair } from '../../../src/server/certificates/pair.ts';

const NOW = Date.parse('2030-01-01T00:00:00.700Z');
const lifetime = { notBeforeMs: NOW - 3_600_000, notAfterMs: NOW + 86_400_000 };
const authority = makeAuthority('hooklet-webhook-certs-ca', lifetime);
const ca = new X509Certificate(authority.cert);
const names = ['hooks.default.svc', 'hooks', '10.0.0.7', 'fd00::12:3'];

describe('certificates that hooklet makes', () => {
  it('an authority signs itself and leaves, with ECDSA on P-256', () => {
    expect(ca.ca).toBe(true);
    expect(ca.checkIssued(ca) && ca.verify(ca.publicKey)).toBe(true);
    expect(ca.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(ca.validFromDate).toEqual(new Date('2029-12-31T23:00:00Z'));
    expect(ca.validToDate).toEqual(new Date('2030-01-02T00:00:00Z'));
  });

  it('a leaf has its names, is for servers alone, and is of its authority', () => {
    const made = makeLeaf(authority, names, lifetime);
    const leaf = new X509Certificate(made.cert);

    expect(leaf.ca).toBe(false);
    expect(leaf.checkIssued(ca) && leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.checkHost('hooks.default.svc', { subject: 'never' })).toBe('hooks.default.svc');
    expect(leaf.checkIP('10.0.0.7')).toBe('10.0.0.7');
    expect(leaf.checkIP('fd00::12:3')).toBe('fd00::12:3');
    expect(leaf.checkHost('other.default.svc')).toBeUndefined();
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(readPair(String(made.cert), String(made.key)).type).toBe('pair');
    expect(createPublicKey(made.key).equals(leaf.publicKey)).toBe(true);
  });

  it('an authority of the same name does not pass for the one that issued a leaf', () => {
    const other = new X509Certificate(makeAuthority('hooklet-webhook-certs-ca', lifetime).cert);

    expect(new X509Certificate(makeLeaf(authority, names, lifetime).cert).checkIssued(other)).toBe(false);
  });

  it('serial numbers have 128 random bits', () => {
    const serials = Array.from(
      { length: 20 },
      () => new X509Certificate(makeLeaf(authority, ['a'], lifetime).cert).serialNumber,
    );

    expect(serials.every((serial) => /^01[0-9A-F]{32}$/.test(serial))).toBe(true);
    expect(new Set(serials).size).toBe(20);
  });

  it('names longer than a common name may be are names all the same', () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.svc`;

    expect(new X509Certificate(makeLeaf(authority, [long], lifetime).cert).checkHost(long)).toBe(long);
  });
});
