import { KubeError } from '../errors.ts';
import { isObject } from './field-reader.ts';
import type { JsonObject } from './operation.ts';

/**
 * Sends an apply. The API server makes null of an object whose members an apply takes away, such as the labels in
 * `{labels: {}}`, and refuses that for a custom resource. Then all empty objects are left out first, which takes them
 * away, and are made anew by a second apply; a dry run is over before that, as it has taken nothing away.
 */
export async function applyEmptied<T>(
  applied: JsonObject,
  send: (applied: JsonObject) => Promise<T>,
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): Promise<T> {
  try {
    return await send(applied);
  } catch (error) {
    if (!isEmptied(error)) throw error;
    const left = await send(withoutEmptyObjects(applied));
    return isDryRun ? left : send(applied);
  }
}

const EMPTIED = /Invalid value: "null":.*must be of type object: "null"/;

function isEmptied(error: unknown): boolean {
  return error instanceof KubeError && error.status === 422 && EMPTIED.test(error.message);
}

function withoutEmptyObjects(object: JsonObject): JsonObject {
  const members = Object.entries(object).map(([name, value]): [string, unknown] => [name, shortened(value)]);
  return Object.fromEntries(members.filter(([, value]) => !isObject(value) || Object.keys(value).length > 0));
}

/** A list keeps all its items. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => shortened(item));
  return isObject(value) ? withoutEmptyObjects(value) : value;
}
