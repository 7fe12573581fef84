import type { Api } from './api.ts';
import { textAt } from './json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { nameOf, namespaceOf } from './object-meta.ts';
import { splitTarget } from './request-target.ts';
import { respond } from './respond.ts';
import { resourcePath } from './route.ts';

/** The answer to a request that was made without HTTP. */
export interface Answer {
  readonly code: number;
  readonly body: JsonValue;
}

/** A request that is made without HTTP. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject | undefined;
  readonly contentType: string | undefined;
}

/** Answers a request without HTTP, and resolves when the controllers have acted on it. */
export async function callInProcess(api: Api, { method, path, body, contentType }: Call): Promise<Answer> {
  const reply = await respond(api, {
    method,
    ...splitTarget(path),
    headers: { 'content-type': contentType ?? 'application/json', 'user-agent': 'sandbox' },
    body: body === undefined ? '' : JSON.stringify(body),
  });
  // The controllers run in a microtask that was queued before this one.
  await Promise.resolve();
  switch (reply.type) {
    case 'json':
      return { code: reply.code, body: reply.value };
    case 'text': {
      const text = [...reply.chunks].join('');
      return { code: reply.code, body: reply.contentType.startsWith('application/json') ? parsed(text) : text };
    }
    case 'bytes':
      return { code: reply.code, body: reply.bytes.toString('base64') };
    case 'stream':
      throw new Error(`a watch needs a connection: ${path}`);
  }
}

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

/** `apply` and `delete`, which take whole objects. */
export function objectCalls(api: Api): {
  apply(object: JsonObject): Promise<JsonObject>;
  delete(object: JsonObject): Promise<void>;
} {
  return {
    async apply(object) {
      const path = `${pathOf(api, object)}?fieldManager=sandbox&force=true`;
      return accepted(await callInProcess(api, { method: 'PATCH', path, body: object, contentType: APPLY }), object);
    },
    async delete(object) {
      const call = { method: 'DELETE', path: pathOf(api, object), body: undefined, contentType: undefined };
      const answered = await callInProcess(api, call);
      if (answered.code !== 404) accepted(answered, object);
    },
  };
}

const APPLY = 'application/apply-patch+yaml';

/** The path of an object; without a namespace that in `default`. Throws for a kind that is not served. */
export function pathOf({ cluster }: Pick<Api, 'cluster'>, object: JsonObject): string {
  const kind = cluster.kinds.ofObject(textAt(object, 'apiVersion'), textAt(object, 'kind'));
  if (kind === undefined) {
    throw new Error(`no kind "${textAt(object, 'kind')}" is served in version "${textAt(object, 'apiVersion')}"`);
  }
  if (nameOf(object) === '') throw new Error(`${kind.kind} without metadata.name`);
  const namespace = namespaceOf(object) === '' ? 'default' : namespaceOf(object);
  return resourcePath(kind, encodeURIComponent(namespace), nameOf(object));
}

function accepted({ code, body }: Answer, object: JsonObject): JsonObject {
  if (code < 300 && isJsonObject(body)) return body;
  const what = `${textAt(object, 'kind')} "${nameOf(object)}"`;
  throw new Error(`${what} was refused with ${code}: ${textAt(isJsonObject(body) ? body : {}, 'message')}`);
}
