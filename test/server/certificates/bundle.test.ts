import { describe, expect, it } from 'vitest';
import { bundleToRegister } from '../../../src/server/certificates/bundle.ts';
import { makeAuthority } from '../../../src/server/certificates/self-made/x509.ts';
import { CERT as VALID, HOUR, NOW } from '../../support/certificates/two-authorities.ts';

const expired = makeAuthority('ca', { notBeforeMs: NOW - 9 * HOUR, notAfterMs: NOW - 2 * HOUR });
const young = makeAuthority('ca', { notBeforeMs: NOW - HOUR, notAfterMs: NOW + 9 * HOUR });
const CERT = { ...VALID, expired: String(expired.cert), young: String(young.cert) };

describe('the bundle to register', () => {
  it.each([
    ['nothing is registered', '', 'first', 'first'],
    ['it is registered', 'first', 'first', undefined],
    ['the order differs', 'second first', 'first second', undefined],
    ['one is missing', 'first', 'second first', 'second first'],
    ['a replica does not know the newest', 'second first', 'first', undefined],
    ['the Secret was lost', 'first', 'second', 'second first'],
    ['one has expired', 'first expired', 'first', 'first'],
    ['one has expired that a young one replaces', 'expired', 'young', 'young expired'],
    ['one has expired that a young one replaced', 'young expired', 'young', undefined],
    ['one has expired that is its own', 'first expired', 'first expired', undefined],
  ])('where %s', (_, registered, own, wanted) => {
    const pem = (names: string): string =>
      names
        .split(' ')
        .map((name) => new Map(Object.entries(CERT)).get(name) ?? '')
        .join('');

    expect(bundleToRegister(pem(registered), pem(own), NOW)).toBe(wanted === undefined ? undefined : pem(wanted));
  });
});
