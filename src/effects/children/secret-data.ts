import { isObject } from '../field-reader.ts';
import type { JsonObject } from '../operation.ts';

/**
 * A Secret with its `stringData` as `data`. The server does the same when it stores a Secret, but then a key that is
 * taken out of `stringData` stays in `data`.
 */
export function withoutStringData(object: JsonObject): JsonObject {
  if (object['apiVersion'] !== 'v1' || object['kind'] !== 'Secret' || !isObject(object['stringData'])) return object;
  const { stringData, data, ...rest } = object;
  const texts = Object.entries(isObject(stringData) ? stringData : {});
  // What is no text is left to the server, which says what is wrong with it.
  if (texts.some(([, text]) => typeof text !== 'string')) return object;
  const encoded = texts.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  return { ...rest, data: { ...(isObject(data) ? data : {}), ...Object.fromEntries(encoded) } };
}
