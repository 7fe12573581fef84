import { expect, it } from 'vitest';
import { GivenBundles } from '../../../src/operator/remote/given-bundles.ts';

const HOUR_MS = 3_600_000;

it('an authority counts as known to all only when no Pod was given the one before for 24 h', () => {
  let nowMs = 0;
  const given = new GivenBundles(() => nowMs);
  const certificates = { caBundle: 'old' };
  const registered = given.registered(
    () => certificates.caBundle,
    async function* changes() {},
  );

  given.give(certificates);
  certificates.caBundle = 'old and new';
  expect(registered.bundles()).toEqual(['old', 'old and new']);
  nowMs = 24 * HOUR_MS;
  expect(registered.bundles()).toEqual(['old', 'old and new']);
  nowMs += 1;
  expect(registered.bundles()).toEqual(['old and new']);
});
