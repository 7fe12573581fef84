import { bearerHeaders } from './credentials.ts';
import type { ExpiringPart } from './expiring-credentials.ts';

/** How long a token is used when its expiry cannot be read. */
const OPAQUE_TOKEN_MS = 60_000;

/** Returns a bearer token as credentials that expire with the token if it is a JSON Web Token, else after a minute. */
export function bearerPart(token: string, what: string): ExpiringPart {
  return { part: { headers: bearerHeaders(token, what) }, expiresAt: expiryOf(token) };
}

function expiryOf(token: string): number {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims === 'object' && claims !== null && 'exp' in claims && typeof claims.exp === 'number') {
      return claims.exp * 1000;
    }
  } catch {
    // Not a JSON web token.
  }
  return Date.now() + OPAQUE_TOKEN_MS;
}
