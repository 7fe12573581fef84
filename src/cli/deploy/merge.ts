import { isObject } from '../../lib/json-object.ts';

/** A Kubernetes object, or a part of one. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Merges a patch into an object as a strategic merge patch does, so far as `deploy/` needs it: lists whose elements have
 * names are merged by name, ports by their number, other lists are replaced, and null removes a field.
 */
export function merged(object: Fields, patch: Fields): Fields {
  const result: Record<string, unknown> = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergedValue(object[key], value);
  }
  return result;
}

function mergedValue(before: unknown, patch: unknown): unknown {
  if (isObject(before) && isObject(patch)) return merged(before, patch);
  if (isNamed(before) && isNamed(patch)) {
    const names = new Set(patch.map(({ name }) => name));
    const found = (name: unknown): Fields => before.find((one) => one['name'] === name) ?? {};
    // As kustomize does: what a patch names comes before everything else.
    return [...patch.map((one) => merged(found(one['name']), one)), ...before.filter(({ name }) => !names.has(name))];
  }
  return patch;
}

function isNamed(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every((one) => isObject(one) && typeof one['name'] === 'string');
}
