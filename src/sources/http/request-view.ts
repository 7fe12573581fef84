import type { IncomingHttpHeaders } from 'node:http';

/** The part of a request that its hook is given. */
export interface ViewedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What shows who the caller is would let the hook, and whoever reads its log, act as the caller. */
const SECRET = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-slack-signature',
]);
const MAX_JSON_DEPTH = 500;

/**
 * The `request` of a binding context, as JSON text: `method`, `path`, `query`, `headers` in small letters, and `body` as
 * text, or `bodyBase64` where it is no UTF-8; a body of JSON also as `json`, as it was sent.
 */
export function requestView({ method, path, query, headers, body }: ViewedRequest): string {
  const text = textOf(body);
  const view = {
    ...(text === undefined ? { bodyBase64: body.toString('base64') } : { body: text }),
    headers: shownHeaders(headers),
  };
  const rest = { method, path, query: Object.fromEntries(query) };
  const json = text === undefined || !isJson(headers) ? undefined : jsonOf(text);
  // The text itself: parsing would change large numbers.
  const member = json === undefined ? '' : `"json":${json},`;
  return `${JSON.stringify(view).slice(0, -1)},${member}${JSON.stringify(rest).slice(1)}`;
}

function textOf(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function isJson({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type);
}

function jsonOf(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return depthOf(text) > MAX_JSON_DEPTH ? undefined : text.trim();
}

/** How deep a JSON text is at most: brackets within strings count too. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of text) {
    if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth -= 1;
  }
  return deepest;
}

function shownHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const shown = Object.entries(headers)
    .filter(([name]) => !SECRET.has(name) && !name.startsWith(':'))
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]);
  return Object.fromEntries(shown);
}
