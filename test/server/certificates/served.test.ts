import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/metrics.ts';
import { certificatesIn } from '../../../src/server/certificates/pem.ts';
import { ServedCertificate } from '../../../src/server/certificates/served.ts';
import { CERT, first, LIFETIME, NOW, pairBy, second } from '../../support/certificates/two-authorities.ts';

describe('what is served', () => {
  function rig(texts: readonly string[] | undefined) {
    const state = { nowMs: NOW, elapsedMs: 0, texts };
    const served = new ServedCertificate({
      settleMs: 60_000,
      clock: { now: () => state.nowMs, monotonicMs: () => state.elapsedMs },
      registered: { bundles: () => state.texts, async *changes() {} },
      metrics: createMetrics(''),
    });
    return { served, state };
  }
  const authorities = certificatesIn(`${CERT.second}${CERT.first}`);
  const [old, next] = [pairBy(first), pairBy(second)];

  it('a new authority signs what is served 60 s after it is in every bundle', () => {
    const { served, state } = rig([CERT.first, CERT.first]);
    served.offer({ pair: old, authorities: authorities.slice(1) });
    served.offer({ pair: next, authorities });
    const at = (elapsedMs: number, texts: readonly string[]): boolean => {
      Object.assign(state, { elapsedMs, texts });
      served.look();
      return served.serving === next.certificate;
    };
    const both = `${CERT.first}${CERT.second}`;

    expect(at(100_000, [both, CERT.first])).toBe(false);
    expect(at(200_000, [both, both])).toBe(false);
    expect(at(259_999, [both, both])).toBe(false);
    expect(at(260_000, [both, CERT.first])).toBe(false);
    expect(at(270_000, [both, both])).toBe(false);
    expect(at(330_000, [both, both])).toBe(true);
    expect(served.problem).toBeUndefined();
  });

  it('a replica that was ready with a young authority stays ready when a bundle was emptied and written again', () => {
    const { served, state } = rig([CERT.first]);
    state.nowMs = LIFETIME.notBeforeMs + 3_600_000;
    served.offer({ pair: old, authorities: authorities.slice(1) });
    for (const texts of [[''], [`${CERT.first}${CERT.second}`]]) {
      Object.assign(state, { texts, elapsedMs: state.elapsedMs + 1000 });
      served.look();
    }

    expect(served.serving).toBe(old.certificate);
    expect(served.problem).toBeUndefined();
  });

  it('a new leaf of the same authority is served at once', () => {
    const { served } = rig([CERT.first]);
    const renewed = pairBy(first);
    served.offer({ pair: old, authorities });
    served.offer({ pair: renewed, authorities });

    expect(served.serving).toBe(renewed.certificate);
  });

  it('nothing is settled before it is known what is registered', () => {
    const { served, state } = rig(undefined);
    served.offer({ pair: old, authorities });
    served.offer({ pair: next, authorities });

    expect(served.serving).toBe(old.certificate);
    expect(served.problem).toBe('the registered objects are not known yet');
    state.texts = [];
    served.look();
    expect([served.serving, served.problem]).toEqual([next.certificate, undefined]);
  });

  it('what expires is replaced by whatever is valid', () => {
    const { served, state } = rig([CERT.first]);
    const short = pairBy(first, { ...LIFETIME, notAfterMs: NOW + 60_000 });
    served.offer({ pair: short, authorities });
    served.offer({ pair: next, authorities });
    expect(served.serving).toBe(short.certificate);

    state.nowMs += 60_000;
    served.look();

    expect(served.serving).toBe(next.certificate);
    expect(served.problem).toContain('does not trust');
  });

  it('followers hear of each certificate and each bundle', async () => {
    const { served } = rig([]);
    const end = new AbortController();
    const heard: unknown[] = [];
    const following = (async () => {
      for await (const _ of served.changes(end.signal)) heard.push([served.serving, served.caBundle]);
    })();

    served.offer({ pair: old, authorities: authorities.slice(1) });
    served.offer({ pair: old, authorities: authorities.slice(1) });
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    served.offer({ pair: next, authorities });
    await new Promise((resolve) => setImmediate(resolve));
    end.abort();
    await following;

    expect(heard).toEqual([
      [old.certificate, CERT.first],
      [next.certificate, `${CERT.second}${CERT.first}`],
    ]);
  });
});
