import { stringify } from 'yaml';
import { UsageError } from '../errors.ts';
import type { DebugView } from '../hook/debug-view.ts';
import { parseDuration } from '../lib/duration.ts';
import { shown } from '../lib/shown.ts';
import type { HttpAnswer, HttpRequest, RequestHead } from './answering.ts';
import {
  configDocument,
  configText,
  queueDocument,
  queuesDocument,
  queuesText,
  queueText,
  snapshotsJson,
} from './debug-text.ts';

/*
 * The debug API of shell-operator, on the control socket and, with `--debug-http-addr`, on a port. Paths, status codes
 * and answers are those of shell-operator. Reading changes nothing. An answer is bounded, so that nobody who asks can
 * stop the operator: JSON by size, YAML by what can be written in a moment.
 */

/** Limit of the body of a request: a form with three short fields. */
export const MAX_FORM_BYTES = 16_384;
const MAX_JSON_BYTES = 256 * 1024 * 1024;
/** A megabyte of YAML takes about a quarter of a second, during which nothing else happens. */
const MAX_YAML_BYTES = 1024 * 1024;

type Format = 'json' | 'yaml' | 'text';

interface Route {
  readonly method: 'GET' | 'POST';
  readonly answer: () => HttpAnswer;
}

/** Whether a path belongs to the debug API. */
export function isDebugPath(path: string): boolean {
  return path === '/' || /^\/(?:queue|hook|config)\//.test(path);
}

/** Answers one request to the debug API; a path that has nothing is a 404. */
export function answerDebug(request: HttpRequest, view: DebugView): HttpAnswer {
  const route = routeOf(request, view);
  if (route === undefined) return notFound();
  if (route.method !== request.method) return { ...plain(405, ''), headers: { allow: route.method } };
  try {
    return route.answer();
  } catch (error) {
    if (error instanceof UsageError) return plain(400, `${error.message}\n`);
    throw error;
  }
}

/** The answer to a path that has nothing. */
export function notFound(): HttpAnswer {
  return plain(404, '404 page not found\n');
}

function routeOf(request: HttpRequest, view: DebugView): Route | undefined {
  const { path } = request;
  if (path === '/') return { method: 'GET', answer: () => plain(200, 'debug endpoint is alive') };
  if (path === '/config/set') return { method: 'POST', answer: () => set(request.body, view) };
  const [, list, format] = /^\/(queue\/main|queue\/list|hook\/list|config\/list)\.(json|yaml|text)$/.exec(path) ?? [];
  if (list !== undefined && isFormat(format)) {
    return { method: 'GET', answer: () => listed(list, { format, query: request.query, view }) };
  }
  const [, hook, extension] = /^\/hook\/(.*)\/snapshots[^/.]*(?:\.([^/]*))?$/.exec(path) ?? [];
  return hook === undefined ? undefined : { method: 'GET', answer: () => snapshots(hook, extension, view) };
}

function isFormat(text: string | undefined): text is Format {
  return text === 'json' || text === 'yaml' || text === 'text';
}

interface Listed {
  readonly format: Format;
  readonly query: URLSearchParams;
  readonly view: DebugView;
}

function listed(list: string, { format, query, view }: Listed): HttpAnswer {
  switch (list) {
    case 'queue/main': {
      const main = view.queues().find(({ name }) => name === 'main') ?? NO_MAIN;
      return format === 'text' ? plain(200, queueText(main)) : document(format, queueDocument(main));
    }
    case 'queue/list': {
      const showEmpty = isTrue(query.get('showEmpty'));
      const queues = view.queues();
      return format === 'text'
        ? plain(200, queuesText(queues, showEmpty))
        : document(format, queuesDocument(queues, showEmpty));
    }
    case 'hook/list':
      return document(format, view.hooks());
    default: {
      const parameters = view.config.list();
      return format === 'text' ? plain(200, configText(parameters)) : document(format, configDocument(parameters));
    }
  }
}

const NO_MAIN = { name: 'main', length: 0, status: 'Queue is not created', tasks: [] };

/** As Go reads a boolean. */
function isTrue(text: string | null): boolean {
  return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text ?? '');
}

function snapshots(escaped: string, extension: string | undefined, view: DebugView): HttpAnswer {
  const hook = decoded(escaped);
  if (hook === '') throw new UsageError("'hook' parameter is required");
  const found = view.snapshots(hook);
  if (found === undefined) throw new UsageError(`hook '${hook}' is not exist`);
  const chunks = snapshotsJson(found);
  const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (bytes > MAX_JSON_BYTES) return plain(413, `the snapshots take ${bytes} bytes, more than ${MAX_JSON_BYTES}\n`);
  const body = Buffer.concat(chunks);
  if (extension !== 'yaml') return { ...plain(200, body), ...(extension === 'json' && { type: TYPES.json }) };
  if (bytes > MAX_YAML_BYTES) {
    return plain(413, `the snapshots take ${bytes} bytes, too many for YAML: ask for snapshots.json\n`);
  }
  return {
    status: 200,
    type: TYPES.yaml,
    body: stringify(JSON.parse(body.toString()), { aliasDuplicateObjects: false, lineWidth: 0 }),
  };
}

/** Hooks with a space or a percent sign in their names are escaped in a path. */
function decoded(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

function set(body: Buffer, { config }: DebugView): HttpAnswer {
  const form = new URLSearchParams(body.toString());
  const name = form.get('name') ?? '';
  if (name === '') throw new UsageError("'name' parameter is required");
  const duration = form.get('duration') ?? '';
  const durationMs = duration === '' ? undefined : parseDuration(duration);
  if (duration !== '' && durationMs === undefined) {
    throw new UsageError(`parse duration ${shown(duration)} failed: expected a duration such as 30s or 1h30m`);
  }
  config.set(name, form.get('value') ?? '', durationMs === 0 ? undefined : durationMs);
  return plain(200, '');
}

const TYPES = {
  text: 'text/plain; charset=utf-8',
  json: 'application/json',
  yaml: 'application/yaml',
} as const;

/** What has no text of its own is JSON there. */
function document(format: Format, value: object): HttpAnswer {
  const body =
    format === 'yaml' ? stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 }) : `${JSON.stringify(value)}\n`;
  return { status: 200, type: TYPES[format], body };
}

function plain(status: number, body: string | Uint8Array): HttpAnswer {
  return { status, type: TYPES.text, body, headers: { 'x-content-type-options': 'nosniff' } };
}

/** Whether a web page of another site sent the request: browsers say where a request comes from that changes something. */
export function isFromWebPage({ headers }: RequestHead): boolean {
  return headers.origin !== undefined || ![undefined, 'none'].includes(headers['sec-fetch-site']);
}
