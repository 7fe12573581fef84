import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { bearerPart } from '../../../src/kube/credentials/token-expiry.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const claims = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

it.each([
  ['a JSON web token', `a.${claims({ exp: 4_000 })}.c`, 4_000_000],
  ['one without an expiry', `a.${claims({ sub: 'x' })}.c`, 1_060_000],
  ['one whose claims are none', `a.${claims(null)}.c`, 1_060_000],
  ['an opaque token', 'secret', 1_060_000],
  ['an opaque token with dots', 'a.b.c', 1_060_000],
])('%s expires at its own time, else after a minute', (_title, token, expiresAt) => {
  expect(bearerPart(token, 'the token')).toEqual({
    part: { headers: { authorization: `Bearer ${token}` } },
    expiresAt,
  });
});
