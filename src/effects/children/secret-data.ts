import { shownName } from '../../lib/shown.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';

/** What is wrong with the values of a Secret, which are not shown. */
export function secretProblems(object: JsonObject): readonly string[] {
  if (object['apiVersion'] !== 'v1' || object['kind'] !== 'Secret') return [];
  return ['data', 'stringData'].flatMap((field) => {
    const values = object[field];
    if (values === undefined || values === null) return [];
    if (!isObject(values)) return [`${field} is ${typeOf(values)}, expected an object of texts`];
    const bad = Object.entries(values).filter(([, value]) => typeof value !== 'string');
    return bad
      .slice(0, MAX_SHOWN)
      .map(([key, value]) => `${field}.${shownName(key)} is ${typeOf(value)}, expected a text: put it in quotes`);
  });
}

const MAX_SHOWN = 10;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

/**
 * A Secret with its `stringData` as `data`. The server does the same when it stores a Secret, but then a key that is
 * taken out of `stringData` stays in `data`.
 */
export function withoutStringData(object: JsonObject): JsonObject {
  if (object['apiVersion'] !== 'v1' || object['kind'] !== 'Secret' || !isObject(object['stringData'])) return object;
  const { stringData, data, ...rest } = object;
  const texts = Object.entries(isObject(stringData) ? stringData : {});
  const encoded = texts.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  return { ...rest, data: { ...(isObject(data) ? data : {}), ...Object.fromEntries(encoded) } };
}
