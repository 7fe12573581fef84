import { json, type Reply } from '../api-request.ts';
import type { ServedKind } from '../kind.ts';
import { OPENAPI_2_PROTOBUF, openApi2Bytes } from './version-2-bytes.ts';
import { openApi2Document } from './version-2.ts';
import { openApi3Document } from './version-3.ts';

/** The OpenAPI document at a path, in the form that the Accept header asks for; undefined if there is none. */
export function answerOpenApi(kinds: readonly ServedKind[], path: string, accept: string): Reply | undefined {
  if (path === '/openapi/v2') return openApi2Reply(kinds, accept);
  const document = openApi3Document(kinds, path);
  return document === undefined ? undefined : json(document);
}

function openApi2Reply(kinds: readonly ServedKind[], accept: string): Reply {
  const document = openApi2Document(kinds);
  if (!accept.includes('proto-openapi.spec.v2')) return json(document);
  return { type: 'bytes', code: 200, contentType: OPENAPI_2_PROTOBUF, bytes: openApi2Bytes(document) };
}
