import { stringify } from 'yaml';
import type { Reply, WatchSink } from './api-request.ts';
import { at, objectAt, objectsAt, textAt } from './json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { ServedKind } from './kind.ts';
import { StatusError } from './status-error.ts';
import { tableOf, tableSink } from './table/table.ts';

/** The form of an answer: JSON, YAML, JSON of the metadata only, or a table in one of two versions. */
export type Representation = 'json' | 'yaml' | 'metadata' | 'table/v1' | 'table/v1beta1';

/** The first supported form in an Accept header; throws the server's 406 if there is none. */
export function acceptedRepresentation(accept: string | undefined): Representation {
  if (accept === undefined || accept.trim() === '') return 'json';
  for (const range of accept.split(',')) {
    const representation = representationOf(range);
    if (representation !== undefined) return representation;
  }
  const message = '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml';
  throw new StatusError({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

const JSON_RANGES = ['application/json', 'application/*', '*/*'];

function representationOf(range: string): Representation | undefined {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  if (type === 'application/yaml') return 'yaml';
  if (!JSON_RANGES.includes(type)) return undefined;
  const form = parameters.find((parameter) => parameter.startsWith('as='))?.slice('as='.length);
  if (form === undefined || form === 'APIGroupDiscoveryList') return 'json';
  if (form === 'Table') return parameters.includes('v=v1beta1') ? 'table/v1beta1' : 'table/v1';
  return form.startsWith('PartialObjectMetadata') ? 'metadata' : undefined;
}

/** The other parameters of the answer besides its form. */
export interface Asked {
  readonly kind: ServedKind;
  readonly includeObject: string;
  readonly now: number;
}

/** Returns the reply in the requested form. */
export function represented(reply: Reply, representation: Representation, asked: Asked): Reply {
  switch (representation) {
    case 'json':
      return reply;
    case 'yaml':
      return inYaml(reply);
    case 'metadata':
      return changed(reply, metadataOnly, metadataSink);
    case 'table/v1':
    case 'table/v1beta1': {
      const request = { ...asked, apiVersion: `meta.k8s.io/${representation.slice('table/'.length)}` };
      return changed(
        reply,
        (value) => tableOf(value, request),
        (sink) => tableSink(sink, request),
      );
    }
  }
}

/** Returns the reply with a changed document, or with changed watch events. */
function changed(
  reply: Reply,
  change: (value: JsonValue) => JsonValue,
  changeSink: (sink: WatchSink) => WatchSink,
): Reply {
  if (reply.type === 'stream') return { type: 'stream', open: (sink) => reply.open(changeSink(sink)) };
  const document = documentOf(reply);
  return document === undefined ? reply : { type: 'json', code: reply.code, value: change(document) };
}

/** Returns the reply in YAML. */
export function inYaml(reply: Reply): Reply {
  if (reply.type === 'stream') return reply;
  const document = documentOf(reply);
  if (document === undefined) return reply;
  return { type: 'text', code: reply.code, contentType: 'application/yaml', chunks: [stringify(document)] };
}

function documentOf(reply: Exclude<Reply, { type: 'stream' }>): JsonValue | undefined {
  if (reply.type === 'bytes') return undefined;
  if (reply.type === 'json') return reply.value;
  if (!reply.contentType.startsWith('application/json')) return undefined;
  const value: JsonValue = JSON.parse([...reply.chunks].join(''));
  return value;
}

const META = 'meta.k8s.io/v1';

function metadataOnly(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || textAt(value, 'kind') === 'Status') return value;
  if (at(value, 'items') === undefined) return partial(value);
  const items = objectsAt(value, 'items').map(partial);
  return { kind: 'PartialObjectMetadataList', apiVersion: META, metadata: objectAt(value, 'metadata'), items };
}

function partial(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: META, metadata: objectAt(object, 'metadata') };
}

function metadataSink(sink: WatchSink): WatchSink {
  return {
    write: (line, kind) => {
      const event: JsonValue = JSON.parse(String(line));
      const object = metadataOnly(objectAt(event, 'object'));
      sink.write(`${JSON.stringify({ type: textAt(event, 'type'), object })}\n`, kind);
    },
    end: () => sink.end(),
    onClose: (listener) => sink.onClose(listener),
  };
}
