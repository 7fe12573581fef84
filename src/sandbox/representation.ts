import { stringify } from 'yaml';
import type { Reply, WatchSink } from './api-request.ts';
import { at, objectAt, objectsAt, textAt } from './json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { StatusError } from './status-error.ts';

/** In which form an answer is wanted: JSON, YAML, or JSON of the metadata alone. */
export type Representation = 'json' | 'yaml' | 'metadata';

/** The first form in an Accept header that is spoken here; throws the server's 406 where none is. */
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
  return form.startsWith('PartialObjectMetadata') ? 'metadata' : undefined;
}

/** The reply in the wanted form. */
export function represented(reply: Reply, representation: Representation): Reply {
  if (representation === 'json') return reply;
  switch (reply.type) {
    case 'json':
      return inForm(reply.code, reply.value, representation);
    case 'text': {
      if (!reply.contentType.startsWith('application/json')) return reply;
      const value: JsonValue = JSON.parse([...reply.chunks].join(''));
      return inForm(reply.code, value, representation);
    }
    case 'stream':
      if (representation === 'yaml') return reply;
      return { type: 'stream', open: (sink) => reply.open(metadataSink(sink)) };
  }
}

function inForm(code: number, value: JsonValue, representation: 'yaml' | 'metadata'): Reply {
  if (representation === 'metadata') return { type: 'json', code, value: metadataOnly(value) };
  return { type: 'text', code, contentType: 'application/yaml', chunks: [stringify(value)] };
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
