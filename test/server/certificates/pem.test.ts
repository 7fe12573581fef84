import { describe, expect, it } from 'vitest';
import { certificatesIn, pemOf, unionOf } from '../../../src/server/certificates/pem.ts';
import { CERT } from '../../support/certificates/two-authorities.ts';

describe('a PEM text', () => {
  it('gives each certificate once, and nothing of what is none', () => {
    const text = `words\n${CERT.first}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${CERT.second}${CERT.first}`;

    expect(pemOf(certificatesIn(text))).toBe(`${CERT.first}${CERT.second}`);
    expect(certificatesIn('-----BEGIN CERTIFICATE-----'.repeat(9000))).toEqual([]);
    expect(certificatesIn(CERT.first.repeat(1000))).toEqual([]);
  });

  it('lists are joined in their order, each certificate once', () => {
    const [one, two] = [certificatesIn(CERT.first), certificatesIn(CERT.second)];

    expect(pemOf(unionOf(two, one, two))).toBe(`${CERT.second}${CERT.first}`);
  });
});
