import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { certificatesIn } from '../../../src/server/certificates/pem.ts';
import { anchorOf } from '../../../src/server/certificates/trust.ts';
import { CERT, first, HOUR, LIFETIME, NOW, pairBy } from '../../support/certificates/two-authorities.ts';

describe('trust', () => {
  const { chain } = pairBy(first);
  const [one, two] = [certificatesIn(CERT.first), certificatesIn(CERT.second)];

  it('is by the key of an authority, not by its name', () => {
    expect(anchorOf(chain, [...two, ...one], NOW)).toBe(one[0]);
    expect(anchorOf(chain, two, NOW)).toBeUndefined();
    expect(anchorOf(chain, chain, NOW)).toBe(chain[0]);
    expect(anchorOf([], one, NOW)).toBeUndefined();
  });

  it('ends with what expires first', () => {
    const short = pairBy(first, { ...LIFETIME, notAfterMs: NOW + 60_000 }).chain;

    expect(anchorOf(short, one, NOW + 59_000)).toBeDefined();
    expect(anchorOf(short, one, NOW + 60_000)).toBeUndefined();
    expect(anchorOf(chain, one, NOW + HOUR)).toBeUndefined();
    expect(anchorOf(chain, one, NOW - 3 * HOUR)).toBeUndefined();
  });

  it('is by the authority of an intermediate certificate, if that is sent with it', () => {
    const [leaf, intermediate] = [...certificatesIn(fixture('chain.pem'))];
    const [root] = certificatesIn(fixture('root.pem'));
    if (leaf === undefined || intermediate === undefined || root === undefined) throw new Error('the fixtures are cut');

    expect(anchorOf([leaf, intermediate], [root], NOW)).toBe(root);
    expect(anchorOf([leaf, ...one, intermediate], [...two, root], NOW)).toBe(root);
    expect(anchorOf([leaf], [root], NOW)).toBeUndefined();
    expect(anchorOf([leaf], [intermediate], NOW)).toBe(intermediate);
    expect(anchorOf([leaf, intermediate], one, NOW)).toBeUndefined();
  });
});

function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../fixtures/certificates', name), 'utf8');
}
