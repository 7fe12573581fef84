import { gzipSync } from 'node:zlib';
import type { HttpAnswer, RequestHead } from '../answering.ts';
import type { Asset } from './assets.ts';

/** Nothing runs, is loaded, sent or framed but what this server has; there are no scripts or styles in the HTML. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Forms need the origin, which `no-referrer` would take from them.
  'referrer-policy': 'same-origin',
};

/** Too small to be worth it below this. */
const MIN_COMPRESSED = 1000;

/** A page as an answer, compressed where the client takes it. */
export function pageAnswer(
  head: RequestHead,
  status: number,
  text: string,
  more: HttpAnswer['headers'] = {},
): HttpAnswer {
  const isCompressed = text.length >= MIN_COMPRESSED && takesGzip(head);
  return {
    status,
    type: 'text/html; charset=utf-8',
    body: isCompressed ? gzipSync(text, { level: 6 }) : text,
    headers: { ...HEADERS, 'cache-control': 'no-store', ...encoding(isCompressed), ...more },
  };
}

/** An asset, which never changes at its path. */
export function assetAnswer(head: RequestHead, { type, plain, compressed }: Asset): HttpAnswer {
  const isCompressed = takesGzip(head);
  return {
    status: 200,
    type,
    body: isCompressed ? compressed : plain,
    headers: { ...HEADERS, 'cache-control': 'public, max-age=31536000, immutable', ...encoding(isCompressed) },
  };
}

/** A short text, such as for a path where nothing is. */
export function plainAnswer(status: number, text: string, more: HttpAnswer['headers'] = {}): HttpAnswer {
  const headers = { ...HEADERS, 'cache-control': 'no-store', ...more };
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n`, headers };
}

/** Sends the browser to another page, after a form. */
export function redirect(to: string, more: HttpAnswer['headers'] = {}): HttpAnswer {
  return plainAnswer(303, `see ${to}`, { location: to, ...more });
}

function encoding(isCompressed: boolean): Readonly<Record<string, string>> {
  return { vary: 'accept-encoding', ...(isCompressed && { 'content-encoding': 'gzip' }) };
}

function takesGzip({ headers }: RequestHead): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\b)/i.test(String(headers['accept-encoding'] ?? ''));
}
