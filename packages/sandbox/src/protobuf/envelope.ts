// Go clients send objects of built-in kinds in protobuf by default. Here everything works on JSON, so `inJson` converts
// the body of such a request before anything else reads it; objects are always returned in JSON or YAML, and these
// clients accept JSON too.
//
// A body is an envelope: a magic prefix, the apiVersion and kind, and the bytes of the object. reader.ts splits bytes
// into numbered fields, message-json.ts gives them their JSON names by the tables in messages/, and scalar-json.ts
// converts single values. Fields that the tables do not have are dropped.

import type { ApiRequest } from '../api-request.ts';
import type { JsonObject } from '../json.ts';
import { messageOfKind } from '../messages/messages.ts';
import { badRequest } from '../status-error.ts';
import { messageJson } from './message-json.ts';
import { wireFields } from './reader.ts';

/** The media type of built-in kinds in protobuf. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Whether a body of this content type is protobuf. */
export function isProtobuf(contentType: string | undefined): boolean {
  return (contentType ?? '').split(';', 1).join('').trim() === PROTOBUF;
}

/**
 * Returns the request with its body in JSON if it was protobuf of a built-in kind, otherwise unchanged. Throws a 400 if
 * the protobuf cannot be read.
 */
export function inJson(request: ApiRequest): ApiRequest {
  if (!isProtobuf(request.headers['content-type']) || request.body === '') return request;
  const object = objectOf(Buffer.from(request.body, 'latin1'));
  if (object === undefined) return request;
  return {
    ...request,
    headers: { ...request.headers, 'content-type': 'application/json' },
    body: JSON.stringify(object),
  };
}

const MAGIC = Buffer.from('k8s\0', 'latin1');

function objectOf(bytes: Buffer): JsonObject | undefined {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  try {
    return decoded(bytes.subarray(MAGIC.length));
  } catch (error) {
    throw badRequest(`the protobuf body cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The object in an envelope; undefined if its kind has no protobuf form. */
function decoded(envelope: Buffer): JsonObject | undefined {
  const parts = new Map<number, Buffer>();
  for (const field of wireFields(envelope)) if (field.type === 'bytes') parts.set(field.number, field.bytes);
  const type = [...wireFields(parts.get(1) ?? Buffer.alloc(0))];
  const texts = type.map((field) => (field.type === 'bytes' ? field.bytes.toString() : ''));
  const [apiVersion = '', kind = ''] = texts;
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const message = messageOfKind({ group, version, kind });
  if (message === undefined) return undefined;
  return { kind, apiVersion, ...messageJson(message, parts.get(2) ?? Buffer.alloc(0)) };
}
