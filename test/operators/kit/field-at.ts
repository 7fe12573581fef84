import { isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';

/** A copy of the object with a value at a path of `leavesOf`; undefined removes the field, and what is empty then. */
export function withField(object: JsonObject, path: string, value: JsonValue | undefined): JsonObject {
  const parts = path.replaceAll('[]', '.[]').replaceAll('{}', '.{}').split('.');
  const changed = changedAt(object, parts, value);
  if (!isJsonObject(changed)) throw new Error(`${path} removes the whole object`);
  return changed;
}

type Value = JsonValue | undefined;

function changedAt(at: Value, [part = '', ...rest]: readonly string[], value: Value): Value {
  if (part === '') return value;
  if (part === '[]') return changedList(at, rest, value);
  const name = part === '{}' ? 'key' : part;
  const { [name]: old, ...others } = isJsonObject(at) ? at : {};
  const changed = changedAt(old, rest, value);
  // Without any field it is still a spec.
  const field = changed === undefined && name === 'spec' ? {} : changed;
  const fields = { ...others, ...(field !== undefined && { [name]: field }) };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function changedList(at: Value, rest: readonly string[], value: Value): Value {
  const [first, ...others]: readonly JsonValue[] = Array.isArray(at) ? at : [];
  const item = changedAt(first, rest, value);
  const items = [...(item === undefined ? [] : [item]), ...others];
  return items.length === 0 ? undefined : items;
}
