import { KubeError } from '../errors.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

/**
 * Sends an apply. The API server makes null of an object whose members an apply takes away, such as the labels in
 * `{labels: {}}`, and refuses that for a custom resource. Then the empty objects that it names are left out first, which
 * takes them away, and are made anew by a second apply; a dry run is over before that, as it has taken nothing away.
 */
export async function applyEmptied<T>(
  applied: JsonObject,
  send: (applied: JsonObject) => Promise<T>,
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): Promise<T> {
  try {
    return await send(applied);
  } catch (error) {
    const emptied = emptiedIn(error);
    // The error is about something else.
    if (emptied.size === 0) throw error;
    const shorter = without(applied, emptied, '');
    if (JSON.stringify(shorter) === JSON.stringify(applied)) throw error;
    const left = await send(shorter).catch((second: unknown) => {
      throw isInvalid(second) ? error : second;
    });
    return isDryRun ? left : send(applied);
  }
}

// The message may come from a webhook, so the pattern matches at word starts only and reads 64 KiB at most.
const EMPTIED = /(?<![^\s,])([^\s,:]+): Invalid value: "null": [^,]{0,500}?must be of type object/g;
const MOST_READ = 64 * 1024;

/** The paths that the refusal of an apply names, such as `spec.labels`. */
function emptiedIn(error: unknown): ReadonlySet<string> {
  if (!isInvalid(error)) return new Set();
  return new Set(
    Array.from(error.message.slice(0, MOST_READ).matchAll(EMPTIED), ([, path = '']) => path.replace(/^\[/, '')),
  );
}

function isInvalid(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 422;
}

/** Without the empty objects at these paths, and without what is empty then. */
function without(object: JsonObject, emptied: ReadonlySet<string>, path: string): JsonObject {
  const members = Object.entries(object).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    const at = path === '' ? name : `${path}.${name}`;
    if (isEmpty(value)) return emptied.has(at) ? [] : [[name, value]];
    const left = valueWithout(value, emptied, at);
    return isEmpty(left) ? [] : [[name, left]];
  });
  return Object.fromEntries(members);
}

function valueWithout(value: unknown, emptied: ReadonlySet<string>, path: string): unknown {
  if (Array.isArray(value)) return value.map((item, index) => valueWithout(item, emptied, `${path}[${index}]`));
  return isObject(value) ? without(value, emptied, path) : value;
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
